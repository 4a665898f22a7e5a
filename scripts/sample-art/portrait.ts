import { circle, rect, ring, shape, stroke, svg } from "./draw.ts";

/** A person in flat shapes: bob, round glasses, jumper. Small enough to stay a vector file. */
export function portrait(): string {
  return svg(
    { width: 960, height: 1200 },
    "#dfe7ee",
    circle(720, 330, 250, "#f2c7a0") +
      shape("M0 900q240-90 480 0t480 0V1200H0Z", "#8fb4d9") +
      shape("M250 620C220 300 330 190 500 190S770 320 740 640L760 800H240Z", "#2b2430") +
      shape("M432 660V826C452 916 552 916 570 826V660Z", "#d99f7e") +
      shape(
        "M330 470C330 330 400 270 500 270S670 340 670 480C670 620 600 730 500 730S330 620 330 470Z",
        "#efbc98",
      ) +
      shape(
        "M306 520C306 330 400 240 540 252C650 262 696 350 694 480C640 454 560 400 520 330C470 424 390 486 306 520Z",
        "#2b2430",
      ) +
      ring(425, 505, 58, "#2440d8", 13) +
      ring(578, 505, 58, "#2440d8", 13) +
      stroke("M483 500q18-14 37 0", "#2440d8", 13) +
      circle(428, 508, 10, "#2b2430") +
      circle(574, 508, 10, "#2b2430") +
      stroke("M502 520l-12 66h24", "#cf8e6c", 9) +
      stroke("M448 640q54 34 106 0", "#a8452f", 11) +
      shape(
        "M120 1200C130 960 260 870 420 830C440 900 560 900 580 830C740 870 850 960 860 1200Z",
        "#b8432a",
      ) +
      stroke("M420 832C450 912 556 912 582 832", "#8f2f1b", 16) +
      [0, 1, 2]
        .map((row) =>
          stroke(
            `M${210 - row * 24} ${1010 + row * 62}q145-40 290 0t${290 + row * 24} 0`,
            "#d96a4d",
            10,
          ),
        )
        .join(""),
  );
}

/** The image for link previews of pages that have none of their own, 1200 × 630. */
export function share(): string {
  const blocks = [];
  for (let row = 0; row < 5; row++) {
    for (let column = 0; column < 10; column++) {
      const tall = 24 + ((column * 7 + row * 11 + column * row) % 9) * 8;
      const colors = ["#5b7fd0", "#3a49cf", "#2440d8", "#3421ad", "#a3b5ff"];
      blocks.push(
        rect(
          60 + column * 109,
          50 + row * 108,
          92,
          tall,
          colors[(column + row * 2) % 5] as string,
          8,
        ),
      );
    }
  }
  return svg({ width: 1200, height: 630 }, "#fbfbf9", blocks.join(""));
}

/** The icon of the site, light on the accent. */
export function icon(): string {
  return svg(
    { width: 64, height: 64 },
    "#2440d8",
    rect(14, 16, 15, 14, "#ffffff", 3) +
      rect(35, 16, 15, 32, "#ffffff", 3) +
      rect(14, 36, 15, 12, "#a3b5ff", 3),
  );
}
