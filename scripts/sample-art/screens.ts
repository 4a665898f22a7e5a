import { circle, group, n, rect, ring, scale, seeded, shape, stroke, svg, textLines } from "./draw.ts";

/** Abstract screens and papers for the galleries: the arrangement of a thing, without its words. */

const size = { width: 1600, height: 1200 };

function browser(background: string, frame: string, inner: string): string {
  const dots = [0, 1, 2].map((index) => circle(190 + index * 34, 176, 9, "#ffffff66")).join("");
  return svg(
    size,
    background,
    rect(140, 130, 1320, 940, frame, 22) + dots + rect(320, 158, 620, 36, "#ffffff26", 18) + inner,
  );
}

function phone(x: number, y: number, inner: string, paper: string): string {
  const body = rect(0, 0, 460, 940, "#15181c", 62) + rect(16, 16, 428, 908, paper, 48);
  return group(`translate(${x} ${y})`, body + inner + rect(170, 34, 120, 22, "#15181c", 11));
}

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
    rows += textLines(270, y + 4, [150 + random() * 130], { fill: "#44505f", height: 15, leading: 0 });
    rows += textLines(560, y + 4, [70 + random() * 60], { fill: "#aab3bf", height: 15, leading: 0 });
    rows += rect(760, y - 2, stake, 28, scale(["#3421ad", "#3a49cf", "#8fb4d9"], row / 8), 6);
  }
  const paper = rect(156, 216, 1288, 838, "#ffffff", 12);
  const head = textLines(200, 262, [260], { fill: "#15181c", height: 24, leading: 0 });
  return browser("#dfe7ee", "#1b2430", paper + head + rect(1230, 250, 170, 48, "#3a49cf", 24) + rows);
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
      [0, 1, 2, 3].map((row) => group(`translate(960 ${230 + row * 190})`, row === 1 ? line.replace("#22384f", "#2c4a68") : group("scale(1)", rect(0, 0, 560, 110, "#1b2d40", 14) + rect(24, 26, 110, 58, "#26405a", 8) + textLines(164, 34, [220 - row * 20, 150 + row * 12], { fill: "#33506d", height: 14, leading: 28 })))).join(""),
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
    circle(800, 640, 560, "#cbd6a5") + phone(290, 130, screen(true), "#fffaf5") + phone(850, 190, screen(false), "#fffaf5"),
  );
}

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
      lines += stroke(`${path}Z`, scale(["#f0c9ff", "#b78ae6", "#6f57b8", "#3c3277"], level / levels), level % 5 === 0 ? 5 : 2.5);
    }
    return lines;
  };
  const track = stroke("M130 1080C420 900 520 980 700 760S1040 640 1120 420S1380 260 1500 130", "#ffd36b", 7);
  const stops = [
    [420, 942],
    [706, 752],
    [1070, 556],
    [1240, 334],
  ] as const;
  return svg(
    size,
    "#1d1837",
    hill(430, 380, 22, 30) + hill(1190, 830, 15, 30) + track.replace("/>", ' stroke-dasharray="2 20"/>') + stops.map(([x, y]) => circle(x, y, 17, "#ffd36b")).join(""),
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
    rect(0, 0, 300, 760, "#3a3350", 150) + rect(0, 360, 300, 60, "#524872", 0) + rect(44, 44, 212, 190, "#4a4168", 106),
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
      rows += textLines(136, y + 30, [120 + random() * 80], { fill: "#3a3350", height: 16, leading: 0 });
      rows +=
        row < filled
          ? textLines(136, y + 62, [160 + random() * 90], { fill: "#b5adc6", height: 12, leading: 0 })
          : rect(136, y + 58, 130, 24, "#efe9f6", 12);
    }
    return rows;
  };
  return svg(
    size,
    "#cfc2e2",
    rect(0, 760, 1600, 440, "#b9a8d4") + phone(180, 130, list(6), "#f4f0f9") + phone(700, 130, list(3), "#f4f0f9") + group("translate(1240 560)", circle(130, 330, 150, "#8a74b5") + rect(60, 40, 140, 300, "#ffb347", 20) + rect(30, 0, 200, 60, "#3a3350", 16)),
  );
}

/** Two logbooks before and after they meet. */
export function sync(): string {
  const column = (x: number, items: readonly number[]) => {
    return rect(x, 200, 300, 800, "#2a2347", 30) + items.map((item) => rect(x + 30, 236 + item * 126, 240, 96, scale(["#7a7fe0", "#b93bb8", "#ffb347"], item / 5), 18)).join("");
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

/** The kiosk's screen says again what the shelf has said with light. */
export function kiosk(): string {
  return svg(
    size,
    "#1f4e4a",
    rect(480, 90, 640, 760, "#10302d", 36) +
      rect(510, 120, 580, 700, "#f7efe2", 18) +
      circle(800, 370, 150, "#2f7f73") +
      stroke("M730 372l48 50 96-104", "#f7efe2", 30) +
      textLines(620, 590, [360, 260], { fill: "#2a2a3c", height: 30, leading: 62 }) +
      rect(610, 736, 380, 22, "#d8ccb8", 11) +
      rect(610, 736, 250, 22, "#f2a33c", 11) +
      rect(0, 960, 1600, 240, "#ecdcc8") +
      rect(0, 930, 1600, 32, "#8cc0a8") +
      rect(560, 930, 480, 32, "#a8f0c8") +
      [
        [590, 200, "#d9482b"],
        [650, 180, "#f2a33c"],
        [712, 214, "#2a2a3c"],
        [776, 190, "#f6d7a7"],
      ]
        .map(([x, height, colour]) => rect(x as number, 930 - (height as number) * 0.55, 50, (height as number) * 0.55, colour as string, 4))
        .join(""),
  );
}

/** Returns by weekday and hour: one block is Tuesday after school. */
export function hours(seed: number): string {
  const random = seeded(seed);
  let inner = "";
  for (let day = 0; day < 6; day++) {
    for (let hour = 0; hour < 9; hour++) {
      const school = hour === 5 || hour === 6 ? 0.45 : 0;
      const amount = Math.min(1, random() * 0.35 + school + (day === 1 && hour === 5 ? 0.5 : 0));
      inner += rect(170 + hour * 142, 190 + day * 140, 126, 124, scale(["#f7efe2", "#f6d7a7", "#f2a33c", "#d9482b", "#5c1a12"], amount), 12);
    }
  }
  return svg(size, "#ecdcc8", inner);
}

/** Labels for the ends of the shelves, one shape for each reading age. */
export function labels(): string {
  const label = (x: number, colour: string, sign: string) => group(`translate(${x} 240)`, rect(0, 0, 310, 720, colour, 26) + circle(155, 70, 20, "#ecdcc8") + sign + textLines(85, 600, [140, 90], { fill: "#f7efe2", height: 20, leading: 42 }));
  return svg(
    size,
    "#ecdcc8",
    label(90, "#d9482b", circle(155, 340, 96, "#f7efe2")) +
      label(460, "#2f7f73", rect(65, 250, 180, 180, "#f7efe2", 12)) +
      label(830, "#2a2a3c", shape("M155 230L260 430H50Z", "#f7efe2")) +
      label(1200, "#b8741a", shape("M155 224l34 80 86 6-66 56 22 84-76-46-76 46 22-84-66-56 86-6Z", "#f7efe2")),
  );
}
