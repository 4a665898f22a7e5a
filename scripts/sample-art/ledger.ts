import { group, rect, scale, seeded, shape, stroke, svg } from "./draw.ts";
import { browser, size } from "./frames.ts";
import { words } from "./type.ts";

/** Screens of the co-operative’s ledger. */

const palettes = {
  light: {
    ground: "#cfdbe6",
    window: "#ffffff",
    title: "#152331",
    muted: "#5b6b7c",
    empty: "#eef3f7",
    blocks: ["#8fb4d9", "#5b7fd0", "#3a49cf", "#3421ad", "#4a1486"],
  },
  dark: {
    ground: "#0c1722",
    window: "#152331",
    title: "#eaf1f8",
    muted: "#8aa3bb",
    empty: "#1a2b3c",
    blocks: ["#4b8fd0", "#5f7ff0", "#7f6bff", "#b67aff", "#f0a6ff"],
  },
} as const;

const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** October 2025 begins on a Wednesday and ends on a Friday, the day of the envelopes. */
const firstDay = 2;
const lastDate = 31;

/** The month as a calendar: the more a day took in, the taller and darker its block. */
export function month(seed: number, theme: "light" | "dark"): string {
  const random = seeded(seed);
  const color = palettes[theme];
  const isClosed = theme === "dark";
  const cell = { width: 186, height: 126 };
  let inner = rect(90, 178, 1420, 844, color.window, 28);
  inner += words(150, 278, "October 2025", { size: 64, fill: color.title, font: "display" });
  inner += rect(1226, 222, 224, 76, isClosed ? "#8fe0b4" : color.blocks[2], 38);
  inner += words(1338, 274, isClosed ? "Closed" : "17 open", {
    size: 38,
    fill: isClosed ? "#0c2a1b" : "#ffffff",
    font: "strong",
    at: "middle",
  });
  days.forEach((day, column) => {
    inner += words(156 + column * cell.width, 350, day, { size: 30, fill: color.muted });
  });
  for (let place = 0; place < 35; place++) {
    const date = place - firstDay + 1;
    const x = 150 + (place % 7) * cell.width;
    const y = 370 + Math.floor(place / 7) * cell.height;
    if (date < 1 || date > lastDate) continue;
    const isWeekend = place % 7 > 4;
    const isFriday = place % 7 === 4;
    const spread = random();
    const amount = date === lastDate ? 1 : isWeekend ? spread * 0.22 : 0.22 + spread * 0.5;
    const share = Math.min(1, amount + (isFriday ? 0.12 : 0));
    const settled = isClosed && random() < 0.8;
    const height = 36 + 74 * share;
    const fill = settled ? "#23384d" : scale(color.blocks, share);
    inner += rect(x, y, 168, 110, color.empty, 14);
    inner += rect(x, y + 110 - height, 168, height, fill, 14);
    inner += words(x + 14, y + 98, String(date), {
      size: 30,
      fill: settled ? "#7d93a8" : isClosed ? "#0c1722" : share > 0.2 ? "#ffffff" : "#152331",
      font: "strong",
    });
  }
  return svg(size, color.ground, inner);
}

const open = [
  ["17", "Havsörnen", "Fuel, card", "6 240"],
  ["04", "Nordkap II", "Crew share", "4 900"],
  ["31", "Tärnan", "Ice, cash", "3 115"],
  ["22", "Solvej", "Fuel, card", "1 860"],
  ["09", "Ingegerd", "Nets", "1 240"],
  ["38", "Vipan", "Ice, cash", "780"],
  ["12", "Lotsen", "Harbour fee", "520"],
  ["26", "Makrillen", "Ice, cash", "285"],
] as const;

/** Rows of the ledger, the most money first; a bar is what is at stake. */
export function unmatched(): string {
  let rows = "";
  open.forEach(([boat, name, what, sum], row) => {
    const y = 356 + row * 84;
    const stake = 430 * 0.68 ** row + 14;
    const fill = row < 3 ? "#e8ebfb" : "#ffffff";
    rows += rect(190, y, 1220, 72, fill, 12);
    rows += rect(208, y + 14, 62, 44, row < 3 ? "#3a49cf" : "#dfe7ee", 8);
    rows += words(239, y + 47, boat, {
      size: 28,
      fill: row < 3 ? "#ffffff" : "#152331",
      font: "strong",
      at: "middle",
    });
    rows += words(294, y + 47, name, { size: 30, fill: "#152331", font: "strong" });
    rows += words(520, y + 47, what, { size: 30, fill: "#5b6b7c" });
    rows += rect(752, y + 20, stake, 32, scale(["#3421ad", "#3a49cf", "#8fb4d9"], row / 7), 8);
    rows += words(1390, y + 47, sum, { size: 32, fill: "#152331", font: "strong", at: "end" });
  });
  const paper = rect(156, 216, 1288, 838, "#ffffff", 12);
  const head =
    words(190, 306, "Unmatched", { size: 54, fill: "#152331", font: "display" }) +
    words(1410, 302, "17 receipts · 19 870 kr", { size: 32, fill: "#5b6b7c", at: "end" });
  return browser("#cfdbe6", "#1b2430", paper + head + rows);
}

/** A numbered envelope and the line of the ledger that it becomes. */
export function envelope(): string {
  const paper =
    rect(0, 0, 620, 420, "#f2e3c6", 10) +
    shape("M0 10a10 10 0 0 1 10-10H610a10 10 0 0 1 10 10L310 240Z", "#e2cd9f") +
    rect(48, 276, 170, 112, "#152331", 10) +
    words(133, 358, "17", { size: 84, fill: "#f0a6ff", font: "display", at: "middle" }) +
    words(246, 372, "October", { size: 40, fill: "#7a6535", font: "strong" });
  const row = (index: number, [boat, name, what]: readonly string[]) => {
    const isHere = boat === "17";
    return group(
      `translate(930 ${200 + index * 196})`,
      rect(0, 0, 590, 160, isHere ? "#2c4a68" : "#1b2d40", 18) +
        rect(26, 32, 120, 96, isHere ? "#f0a6ff" : "#26405a", 12) +
        words(86, 100, boat ?? "", {
          size: 56,
          fill: isHere ? "#152331" : "#8aa3bb",
          font: "display",
          at: "middle",
        }) +
        words(176, 76, name ?? "", {
          size: 36,
          fill: isHere ? "#ffffff" : "#a9bccd",
          font: "strong",
        }) +
        words(176, 122, what ?? "", { size: 30, fill: isHere ? "#c5d9ec" : "#7f97ad" }),
    );
  };
  const list = [
    ["15", "Kaskelot", "6 receipts, matched"],
    ["17", "Havsörnen", "9 receipts, one open"],
    ["18", "Sillen", "4 receipts, matched"],
    ["21", "Fröja", "Not in yet"],
  ];
  return svg(
    size,
    "#152331",
    group("translate(110 430) rotate(-7)", paper) +
      stroke("M770 560C830 480 850 470 900 476", "#9a63e6", 9) +
      stroke("M868 446l34 30-38 26", "#9a63e6", 9) +
      list.map((item, index) => row(index, item)).join(""),
  );
}
