import { circle, n, rect, ring, shape, stroke, svg } from "./draw.ts";
import { words } from "./type.ts";

/** The ferry terminal's signs, each cut from a few plain shapes on a grid of twelve. */

const size = { width: 1200, height: 900 };

interface Paint {
  ground: string;
  plate: string;
  sign: string;
}

const paints: readonly Paint[] = [
  { ground: "#dfeeea", plate: "#10206f", sign: "#dfeeea" },
  { ground: "#10206f", plate: "#86d3bd", sign: "#10206f" },
  { ground: "#cfe6ea", plate: "#1f62a6", sign: "#ffffff" },
  { ground: "#ffb56b", plate: "#173f8f", sign: "#ffe3c4" },
];

const signs = {
  gate: (c: string) =>
    ring(600, 450, 190, c, 46) +
    words(600, 546, "2", { size: 280, fill: c, font: "display", at: "middle" }),
  ahead: (c: string) => shape("M600 240L780 450H660V660H540V450H420Z", c),
  left: (c: string) => shape("M390 450L600 270V390H810V510H600V630Z", c),
  ferry: (c: string) =>
    shape("M400 480H800L720 620H480Z", c) +
    rect(490, 370, 220, 84, c) +
    rect(570, 270, 60, 76, c) +
    stroke("M380 676q55-40 110 0t110 0t110 0t110 0", c, 22),
  stairs: (c: string) => shape("M400 300H500V400H600V500H700V600H800V660H400Z", c),
  wait: (c: string) => ring(600, 450, 190, c, 40) + stroke("M600 340V450L680 506", c, 40),
  water: (c: string) =>
    shape("M600 240C680 360 740 430 740 520a140 140 0 0 1-280 0C460 430 520 360 600 240Z", c),
  bicycle: (c: string) => ring(460, 450, 118, c, 34) + ring(740, 450, 118, c, 34),
  exit: (c: string) =>
    rect(400, 290, 60, 320, c) + shape("M520 400H640V310L810 450L640 590V500H520Z", c),
} as const;

export type Sign = keyof typeof signs;

/** One sign on its plate. */
export function sign(name: Sign, paint: number): string {
  const { ground, plate, sign: color } = paints[paint % paints.length] as Paint;
  return svg(size, ground, rect(250, 100, 700, 700, plate, 56) + signs[name](color));
}

/** The light end of the palette on the darkest paint. */
export function night(): string {
  const plates = (Object.keys(signs) as Sign[]).slice(0, 3).map((name, index) => {
    const color = ["#86d3bd", "#ffb56b", "#dfeeea"][index] as string;
    return `<g transform="translate(${60 + index * 370} 280) scale(.5)">${rect(250 - 190, 0, 600, 600, "#141c4f", 48)}<g transform="translate(-240 -150)">${signs[name](color)}</g></g>`;
  });
  return svg(size, "#090d2b", rect(0, 640, 1200, 260, "#070a20") + plates.join(""));
}

/** The grid of twelve and the four shapes. */
export function construction(): string {
  let lines = "";
  for (let index = 0; index <= 12; index++) {
    const at = 90 + index * 60;
    lines += stroke(`M${at} 90V810`, "#b5d6d6", 2) + stroke(`M90 ${at}H810`, "#b5d6d6", 2);
  }
  const shapes =
    rect(210, 210, 180, 180, "#1f62a6") +
    circle(600, 300, 90, "#10206f") +
    shape("M210 690L300 510L390 690Z", "#35b4cc") +
    shape(`M510 690V${n(510)}a180 180 0 0 1 180 180Z`, "#ffb56b");
  const rest = [1, 2, 3, 4]
    .map((index) =>
      rect(
        900,
        90 + (index - 1) * 190,
        210,
        150,
        ["#86d3bd", "#35b4cc", "#1f62a6", "#10206f"][index - 1] as string,
        10,
      ),
    )
    .join("");
  return svg(size, "#eef6f4", lines + shapes + rest);
}
