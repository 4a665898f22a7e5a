import { circle, group, n, pick, type Random, rect, ring, seeded, stroke, svg } from "./draw.ts";
import { size } from "./frames.ts";
import { words } from "./type.ts";

/** Strokes of a pen, each from the line to the line: low letters three times as often as tall ones. */
const low = [
  "c2-18 9-20 10-2c1 6 4 4 6 2",
  "c5-3 9-18 4-18c-6 0-6 20 4 18c3 0 5 0 6 0",
  "c3-14 6-18 8-18c-1 10-3 18 3 18c3 0 4 0 5 0",
];
const tall = [
  "c8-8 15-46 8-46c-7 0-8 50 2 46c3 0 5 0 6 0",
  "c3-14 8-18 10-14l-3 34c-2 12-14 8-6-6c6-6 9-10 13-14",
];

function word(random: Random, letters: number): { path: string; width: number } {
  let path = "";
  for (let count = 0; count < letters; count++) path += pick(random, [...low, ...low, ...tall]);
  return { path, width: letters * 16.4 };
}

function sheet(random: Random): string {
  let inner = rect(0, 0, 900, 1120, "#f3ead6", 6);
  for (let line = 0; line < 13; line++) {
    const y = 150 + line * 72;
    const end = line === 0 ? 800 : line % 5 === 4 ? 430 + random() * 200 : 770;
    let x = line === 0 ? 560 : line > 10 ? 340 : 90 + random() * 14;
    while (x < end) {
      const { path, width } = word(random, 3 + Math.floor(random() * 6));
      if (x + width > 830) break;
      inner += stroke(`M${n(x)} ${y}${path}`, "#26324a", 3.6);
      x += width + 26;
    }
  }
  inner += stroke("M150 506l90 14 70-20 76 18 60-16", "#9c2f24", 9);
  inner += circle(210, 1016, 74, "#9c2f24") + ring(210, 1016, 52, "#c9604f", 7);
  return inner + stroke("M182 1016h56M210 988v56", "#c9604f", 8);
}

const found = [
  ["212", "Märta Ström to Olof Öhrn", "4 May 1743 · box 3"],
  ["213", "Olof Öhrn to Märta Ström", "19 June 1743 · box 3"],
  ["871", "Anna Öhrn to the parish", "2 March 1811 · box 12"],
] as const;

/** A letter, and the catalog in which it is found by a name. */
export function letter(seed: number): string {
  const rows = found
    .map(([number, users, where], index) => {
      const y = 286 + index * 132;
      return (
        rect(36, y, 748, 118, index === 0 ? "#e6efe9" : "#ffffff", 14) +
        words(66, y + 74, number, { size: 44, fill: "#1f5c4a", font: "display" }) +
        words(182, y + 54, users, { size: 34, fill: "#1b2422", font: "strong" }) +
        words(182, y + 96, where, { size: 28, fill: "#55625e" })
      );
    })
    .join("");
  const catalog =
    rect(0, 0, 820, 710, "#ffffff", 24) +
    words(40, 92, "Åkerö letters", { size: 52, fill: "#1b2422", font: "display" }) +
    rect(36, 126, 748, 88, "#f1f4f2", 16) +
    rect(36, 126, 748, 88, "#1f5c4a22", 16) +
    words(66, 184, "öhrn", { size: 42, fill: "#1b2422" }) +
    stroke("M160 146v48", "#1f5c4a", 4) +
    words(754, 182, "42 letters", { size: 32, fill: "#55625e", at: "end" }) +
    words(40, 262, "Names as they are in the letters, and as they are spelt today", {
      size: 26,
      fill: "#55625e",
    }) +
    rows;
  return svg(
    size,
    "#2e3c3a",
    group("translate(150 60) rotate(-3)", sheet(seeded(seed))) +
      rect(676, 334, 820, 710, "#1b2624", 24) +
      group("translate(664 318)", catalog),
  );
}
