import { circle, group, rect, scale, seeded, shape, stroke, svg, textLines } from "./draw.ts";
import { browser, phone, size } from "./frames.ts";

/** Abstract screens and papers for the galleries: the arrangement of a thing, without its words. */

/** Rows of a ledger, the most money first; a bar is what is at stake. */
export function unmatched(seed: number): string {
  const random = seeded(seed);
  let rows = "";
  for (let row = 0; row < 9; row++) {
    const y = 340 + row * 76;
    const stake = 520 * 0.72 ** row + 12;
    const open = row < 3;
    rows += rect(200, y - 18, 1200, 60, open ? "#e8ebfb" : "#ffffff", 8);
    rows += circle(234, y + 12, 11, open ? "#3a49cf" : "#c9cfd8");
    rows += textLines(270, y + 4, [150 + random() * 130], {
      fill: "#44505f",
      height: 15,
      leading: 0,
    });
    rows += textLines(560, y + 4, [70 + random() * 60], {
      fill: "#aab3bf",
      height: 15,
      leading: 0,
    });
    rows += rect(760, y - 2, stake, 28, scale(["#3421ad", "#3a49cf", "#8fb4d9"], row / 8), 6);
  }
  const paper = rect(156, 216, 1288, 838, "#ffffff", 12);
  const head = textLines(200, 262, [260], { fill: "#15181c", height: 24, leading: 0 });
  return browser(
    "#dfe7ee",
    "#1b2430",
    paper + head + rect(1230, 250, 170, 48, "#3a49cf", 24) + rows,
  );
}

/** A numbered envelope and the line of the ledger that it becomes. */
export function envelope(): string {
  const paper =
    rect(0, 0, 620, 420, "#f2e3c6", 10) +
    shape("M0 10a10 10 0 0 1 10-10H610a10 10 0 0 1 10 10L310 240Z", "#e2cd9f") +
    rect(60, 300, 150, 70, "#152331", 8) +
    textLines(84, 324, [102], { fill: "#f0a6ff", height: 22, leading: 0 });
  const line =
    rect(0, 0, 560, 110, "#22384f", 14) +
    rect(24, 26, 110, 58, "#f0a6ff", 8) +
    textLines(164, 34, [250, 180], { fill: "#8fb4d9", height: 14, leading: 28 }) +
    circle(508, 55, 20, "#5a52dd");
  return svg(
    size,
    "#152331",
    group("translate(150 430) rotate(-7)", paper) +
      stroke("M800 600C880 520 900 520 960 556", "#9a63e6", 8) +
      stroke("M934 534l30 24-34 18", "#9a63e6", 8) +
      [0, 1, 2, 3]
        .map((row) =>
          group(
            `translate(960 ${230 + row * 190})`,
            row === 1
              ? line.replace("#22384f", "#2c4a68")
              : group(
                  "scale(1)",
                  rect(0, 0, 560, 110, "#1b2d40", 14) +
                    rect(24, 26, 110, 58, "#26405a", 8) +
                    textLines(164, 34, [220 - row * 20, 150 + row * 12], {
                      fill: "#33506d",
                      height: 14,
                      leading: 28,
                    }),
                ),
          ),
        )
        .join(""),
  );
}

/** A clinic's first screen: one answer, then three ways on. */
export function today(): string {
  const answer =
    rect(156, 216, 1288, 838, "#fffaf5", 12) +
    rect(220, 290, 1160, 380, "#5c8a12", 20) +
    circle(330, 400, 38, "#d8ecb0") +
    textLines(400, 372, [560, 420], { fill: "#f4fae6", height: 44, leading: 74 }) +
    textLines(290, 568, [380], { fill: "#cfe3a4", height: 24, leading: 0 });
  const ways = [0, 1, 2]
    .map((index) => {
      const x = 220 + index * 394;
      return (
        rect(x, 720, 372, 270, "#f1e6df", 18) +
        (index === 0
          ? circle(x + 70, 800, 34, "#cf9a6a")
          : index === 1
            ? rect(x + 36, 766, 68, 68, "#cfa63d", 12)
            : shape(`M${x + 36} 834L${x + 70} 766L${x + 104} 834Z`, "#8aa11f")) +
        textLines(x + 36, 878, [240, 170], { fill: "#6b5a4e", height: 18, leading: 38 })
      );
    })
    .join("");
  return browser("#f1e6df", "#3a2f28", answer + ways);
}

/** The same answer on a telephone, above the keyboard. */
export function answerPhone(): string {
  const screen = (open: boolean) => {
    const colour = open ? "#5c8a12" : "#b5533c";
    let keys = rect(16, 600, 428, 324, "#e5dad2", 0);
    for (let row = 0; row < 4; row++) {
      for (let key = 0; key < 8 - row; key++) {
        keys += rect(36 + row * 24 + key * 49, 626 + row * 66, 42, 50, "#fffaf5", 8);
      }
    }
    return (
      rect(40, 96, 380, 300, colour, 26) +
      circle(96, 160, 24, "#ffffff88") +
      textLines(70, 216, [280, 220], { fill: "#ffffff", height: 30, leading: 56 }) +
      textLines(70, 340, [170], { fill: "#ffffffaa", height: 16, leading: 0 }) +
      textLines(48, 440, [320, 260, 300], { fill: "#c9b8ab", height: 16, leading: 42 }) +
      keys
    );
  };
  return svg(
    size,
    "#dbe3c2",
    circle(800, 640, 560, "#cbd6a5") +
      phone(290, 130, screen(true), "#fffaf5") +
      phone(850, 190, screen(false), "#fffaf5"),
  );
}
