import {
  circle,
  group,
  n,
  rect,
  ring,
  scale,
  seeded,
  shape,
  stroke,
  svg,
  textLines,
} from "./draw.ts";
import { phone, size } from "./frames.ts";

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
        scale(["#f0c9ff", "#b78ae6", "#6f57b8", "#3c3277"], level / levels),
        level % 5 === 0 ? 5 : 2.5,
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
    hill(430, 380, 22, 30) +
      hill(1190, 830, 15, 30) +
      track.replace("/>", ' stroke-dasharray="2 20"/>') +
      stops.map(([x, y]) => circle(x, y, 17, "#ffd36b")).join(""),
  );
}

/** Four buttons, each the width of a gloved thumb. */
export function fourButtons(): string {
  const colours = ["#7a7fe0", "#b93bb8", "#ffb347", "#4bb3a0"];
  const buttons = colours
    .map((colour, index) => {
      const x = 40 + (index % 2) * 196;
      const y = 110 + Math.floor(index / 2) * 390;
      const signs = [
        ring(x + 92, y + 184, 44, "#ffffff", 16),
        shape(`M${x + 92} ${y + 126}L${x + 144} ${y + 228}H${x + 40}Z`, "#ffffff"),
        rect(x + 44, y + 140, 96, 88, "#ffffff", 14),
        stroke(`M${x + 44} ${y + 200}q24-50 48 0t48 0`, "#ffffff", 18),
      ];
      return rect(x, y, 184, 374, colour, 34) + signs[index];
    })
    .join("");
  const thumb = group(
    "translate(960 560) rotate(-24)",
    rect(0, 0, 300, 760, "#3a3350", 150) +
      rect(0, 360, 300, 60, "#524872", 0) +
      rect(44, 44, 212, 190, "#4a4168", 106),
  );
  return svg(size, "#e6dfee", phone(420, 130, buttons, "#241d3d") + thumb);
}

/** A day of entries at the hut; some have words already. */
export function logbook(seed: number): string {
  const random = seeded(seed);
  const colours = ["#7a7fe0", "#b93bb8", "#ffb347", "#4bb3a0"];
  const list = (filled: number) => {
    let rows = textLines(48, 96, [200], { fill: "#241d3d", height: 28, leading: 0 });
    for (let row = 0; row < 6; row++) {
      const y = 160 + row * 122;
      rows += rect(36, y, 388, 106, "#ffffff", 20);
      rows += rect(56, y + 24, 58, 58, colours[(row * 3) % 4] as string, 16);
      rows += textLines(136, y + 30, [120 + random() * 80], {
        fill: "#3a3350",
        height: 16,
        leading: 0,
      });
      rows +=
        row < filled
          ? textLines(136, y + 62, [160 + random() * 90], {
              fill: "#b5adc6",
              height: 12,
              leading: 0,
            })
          : rect(136, y + 58, 130, 24, "#efe9f6", 12);
    }
    return rows;
  };
  return svg(
    size,
    "#cfc2e2",
    rect(0, 760, 1600, 440, "#b9a8d4") +
      phone(180, 130, list(6), "#f4f0f9") +
      phone(700, 130, list(3), "#f4f0f9") +
      group(
        "translate(1240 560)",
        circle(130, 330, 150, "#8a74b5") +
          rect(60, 40, 140, 300, "#ffb347", 20) +
          rect(30, 0, 200, 60, "#3a3350", 16),
      ),
  );
}

/** Two logbooks before and after they meet. */
export function sync(): string {
  const column = (x: number, items: readonly number[]) => {
    return (
      rect(x, 200, 300, 800, "#2a2347", 30) +
      items
        .map((item) =>
          rect(
            x + 30,
            236 + item * 126,
            240,
            96,
            scale(["#7a7fe0", "#b93bb8", "#ffb347"], item / 5),
            18,
          ),
        )
        .join("")
    );
  };
  return svg(
    size,
    "#1d1837",
    column(140, [0, 2, 3]) +
      column(560, [1, 2, 4, 5]) +
      column(1160, [0, 1, 2, 3, 4, 5]) +
      stroke("M910 600H1080", "#f0c9ff", 10) +
      stroke("M1044 562l38 38-38 38", "#f0c9ff", 10),
  );
}
