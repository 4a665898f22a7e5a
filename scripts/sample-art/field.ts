import { circle, group, n, rect, ring, scale, seeded, shape, stroke, svg } from "./draw.ts";
import { phone, size } from "./frames.ts";
import { words } from "./type.ts";

/** What the rangers’ logbook shows. */

/** A valley as height lines. */
export function contours(seed: number): string {
  const random = seeded(seed);
  const phases = [0, 1, 2, 3].map(() => random() * Math.PI * 2);
  const hill = (cx: number, cy: number, levels: number, step: number) => {
    let lines = "";
    for (let level = 1; level <= levels; level++) {
      let path = "";
      for (let turn = 0; turn <= 72; turn++) {
        const angle = (turn / 72) * Math.PI * 2;
        const wobble = phases.reduce((sum, phase, index) => {
          return sum + Math.sin(angle * (index + 2) + phase + level * 0.16) / (index + 2.4);
        }, 0);
        const radius = level * step * (1 + 0.24 * wobble);
        path += `${turn === 0 ? "M" : "L"}${n(cx + radius * 1.25 * Math.cos(angle))} ${n(cy + radius * Math.sin(angle))}`;
      }
      lines += stroke(
        `${path}Z`,
        scale(["#f0c9ff", "#b78ae6", "#6f57b8", "#453a86"], level / levels),
        level % 4 === 0 ? 9 : 5,
      );
    }
    return lines;
  };
  const track = stroke(
    "M130 1080C420 900 520 980 700 760S1040 640 1120 420S1380 260 1500 130",
    "#ffd36b",
    7,
  );
  const stops = [
    [420, 942],
    [706, 752],
    [1070, 556],
    [1240, 334],
  ] as const;
  return svg(
    size,
    "#1d1837",
    hill(430, 380, 8, 78) +
      hill(1190, 830, 5, 84) +
      track.replace("/>", ' stroke-dasharray="2 20"/>') +
      stops.map(([x, y]) => circle(x, y, 17, "#ffd36b")).join(""),
  );
}

const kinds = [
  { name: "Track", color: "#3b8f80" },
  { name: "Fallen tree", color: "#a8329f" },
  { name: "Fire ring", color: "#5a5fd0" },
  { name: "Other", color: "#b4620c" },
] as const;

/** The sign of a kind of sighting, about 100 pixels wide, with its middle at x, y. */
function kindSign(index: number, x: number, y: number): string {
  const white = "#ffffff";
  if (index === 0) {
    const toes = [-40, -14, 14, 40].map((at, toe) =>
      circle(x + at, y - (toe % 3 ? 40 : 22), 13, white),
    );
    return shape(`M${x - 34} ${y + 36}q0-44 34-44t34 44q-34 20-68 0Z`, white) + toes.join("");
  }
  if (index === 1) return shape(`M${x} ${y - 58}L${x + 54} ${y + 48}H${x - 54}Z`, white);
  if (index === 2) return ring(x, y, 42, white, 18);
  return rect(x - 10, y - 46, 20, 92, white, 10) + rect(x - 46, y - 10, 92, 20, white, 10);
}

/** The logbook's first screen: a button for each kind fills a quarter of it. */
export function buttonPhone(x: number, y: number): string {
  const buttons = kinds
    .map(({ name, color }, index) => {
      const left = 32 + (index % 2) * 202;
      const top = 88 + Math.floor(index / 2) * 412;
      return (
        rect(left, top, 194, 400, color, 34) +
        kindSign(index, left + 97, top + 168) +
        words(left + 97, top + 320, name, {
          size: 32,
          fill: "#ffffff",
          font: "strong",
          at: "middle",
        })
      );
    })
    .join("");
  return phone(x, y, buttons, "#241d3d");
}

/** Four buttons, each the width of a gloved thumb. */
export function fourButtons(): string {
  const glove = group(
    "translate(830 640) rotate(-34)",
    rect(-10, 0, 200, 520, "#3a3350", 100) +
      rect(20, 300, 470, 620, "#3a3350", 150) +
      rect(24, 22, 132, 150, "#4d4470", 66) +
      rect(0, 760, 520, 260, "#ffb347", 40) +
      [0, 1, 2, 3, 4].map((rib) => rect(50 + rib * 92, 790, 36, 200, "#e6922a", 18)).join(""),
  );
  return svg(size, "#e6dfee", buttonPhone(360, 130) + glove);
}

const entries = [
  ["07:42", "Lynx, two, going north", 0],
  ["08:15", "Across the path", 1],
  ["10:03", "Still warm", 2],
  ["11:30", "Elk, old", 0],
  ["13:12", "Bridge rail loose", 3],
  ["15:48", "By the lower lake", 2],
] as const;

/** The hut in the evening: the day's entries, at first without words, then with them. */
export function logbook(): string {
  const list = (filled: number, title: string) => {
    let rows = words(40, 130, title, { size: 44, fill: "#241d3d", font: "display" });
    entries.forEach(([time, note, kind], row) => {
      const y = 166 + row * 122;
      const { name, color } = kinds[kind];
      rows += rect(32, y, 396, 108, "#ffffff", 20);
      rows += rect(46, y + 18, 72, 72, color, 18);
      rows += group(`translate(82 ${y + 54}) scale(0.52)`, kindSign(kind, 0, 0));
      rows += words(134, y + 47, name, { size: 28, fill: "#241d3d", font: "strong" });
      rows += words(410, y + 47, time, { size: 26, fill: "#6b6280", at: "end" });
      rows +=
        row < filled
          ? words(134, y + 86, note, { size: 25, fill: "#5a5170" })
          : rect(132, y + 60, 146, 38, "#e9e1f3", 19) +
            words(205, y + 88, "Add words", {
              size: 24,
              fill: "#5a3fa0",
              font: "strong",
              at: "middle",
            });
    });
    return rows;
  };
  return svg(
    size,
    "#cfc2e2",
    rect(0, 860, 1600, 340, "#b9a8d4") +
      phone(250, 130, list(2, "Today"), "#f4f0f9") +
      phone(890, 130, list(6, "Today"), "#f4f0f9") +
      stroke("M752 600H842", "#5a3fa0", 10) +
      stroke("M812 566l34 34-34 34", "#5a3fa0", 10),
  );
}

/** Two logbooks before and after they meet. */
export function sync(): string {
  const column = (x: number, title: string, items: readonly number[]) => {
    return (
      rect(x, 250, 340, 800, "#2a2347", 30) +
      words(x + 170, 212, title, { size: 46, fill: "#f0c9ff", font: "display", at: "middle" }) +
      items
        .map((item) => {
          const [time, , kind] = entries[item] as (typeof entries)[number];
          const y = 282 + item * 124;
          const { name, color } = kinds[kind];
          return (
            rect(x + 24, y, 292, 104, color, 20) +
            words(x + 48, y + 64, name, { size: 32, fill: "#ffffff", font: "strong" }) +
            words(x + 294, y + 64, time, { size: 26, fill: "#ffffff", at: "end" })
          );
        })
        .join("")
    );
  };
  return svg(
    size,
    "#1d1837",
    column(90, "Elin", [0, 2, 3]) +
      column(520, "The hut", [1, 2, 4, 5]) +
      column(1170, "Both, after", [0, 1, 2, 3, 4, 5]) +
      stroke("M920 650H1100", "#f0c9ff", 10) +
      stroke("M1064 612l38 38-38 38", "#f0c9ff", 10),
  );
}
