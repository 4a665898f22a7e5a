import { circle, group, rect, scale, shape, stroke, svg } from "./draw.ts";
import { browser, phone, size } from "./frames.ts";
import { lines, words } from "./type.ts";

/** The clinic’s site: one answer, then three ways on. */

const colors = ["#5c8a12", "#8aa11f", "#b9b02c", "#cfa63d", "#cf9a6a", "#d19a80"];
const green = "#3f6b0a";

const directions = ["Book a time", "Renew a medicine", "Find us"] as const;

/** A small sign for each of the ways on, 68 pixels wide. */
function waySign(index: number, x: number, y: number, fill: string): string {
  if (index === 0) return rect(x, y + 6, 60, 54, fill, 10) + rect(x, y + 6, 60, 16, "#8a5a36", 6);
  if (index === 1)
    return group(`rotate(-38 ${x + 30} ${y + 32})`, rect(x - 4, y + 16, 68, 32, fill, 16));
  return shape(`M${x + 30} ${y + 66}L${x + 6} ${y + 30}A27 27 0 1 1 ${x + 54} ${y + 30}Z`, fill);
}

/** The answer on a telephone, before the day as arcs from first light to last. */
export function arcs(): string {
  const centre = { x: 800, y: 1050 };
  let inner = "";
  for (let index = 6; index >= 2; index--) {
    inner += circle(centre.x, centre.y, 190 + index * 120, scale(colors, index / 6));
  }
  inner += circle(1390, 262, 92, "#e4572e");
  inner += rect(0, centre.y, size.width, size.height - centre.y, "#33500a");
  const screen =
    words(44, 122, "Orchard Street Clinic", { size: 31, fill: "#4a3a30", font: "strong" }) +
    rect(30, 152, 400, 430, green, 28) +
    circle(76, 206, 16, "#c9f08a") +
    words(104, 217, "Open until 18:00", { size: 32, fill: "#eef8d8", font: "strong" }) +
    lines(58, 314, ["Yes, you", "can come", "today."], {
      size: 72,
      leading: 80,
      fill: "#ffffff",
      font: "display",
    }) +
    words(58, 550, "Wait: about an hour", { size: 31, fill: "#dcefb6" }) +
    directions
      .map((way, index) => {
        const y = 606 + index * 104;
        return (
          rect(30, y, 400, 90, "#f1e6df", 20) +
          group("scale(1)", waySign(index, 54, y + 12, "#b5702f")) +
          words(138, y + 56, way, { size: 31, fill: "#3a2f28", font: "strong" })
        );
      })
      .join("");
  const device = group("translate(536 190) scale(1.15)", phone(0, 0, screen, "#fffaf5"));
  return svg(size, "#f1e6df", inner + device);
}

/** The first screen at the desk. */
export function today(): string {
  const response =
    rect(156, 216, 1288, 838, "#fffaf5", 12) +
    rect(206, 264, 1188, 430, green, 24) +
    circle(274, 338, 20, "#c9f08a") +
    words(312, 350, "Open until 18:00", { size: 40, fill: "#eef8d8", font: "strong" }) +
    lines(250, 474, ["Yes, you can", "come today."], {
      size: 112,
      leading: 112,
      fill: "#ffffff",
      font: "display",
    }) +
    words(250, 660, "The wait is about an hour. Mondays are longer.", {
      size: 34,
      fill: "#dcefb6",
    });
  const tiles = directions
    .map((way, index) => {
      const x = 206 + index * 404;
      return (
        rect(x, 730, 380, 280, "#f1e6df", 20) +
        waySign(index, x + 40, 774, "#b5702f") +
        words(x + 38, 912, way, { size: 38, fill: "#3a2f28", font: "strong" }) +
        words(
          x + 38,
          962,
          ["From Thursday on", "Two working days", "12 Orchard Street"][index] ?? "",
          {
            size: 30,
            fill: "#6b5a4e",
          },
        )
      );
    })
    .join("");
  return browser("#e3d5ca", "#3a2f28", response + tiles);
}

const keys = ["qwertyuiopå", "asdfghjklöä", "zxcvbnm"];

/** The same answer above the keyboard, on a day with room and on one without. */
export function answerPhone(): string {
  const screen = (isOpen: boolean) => {
    let keyboard = rect(16, 610, 428, 314, "#ddd1c8", 0) + rect(16, 880, 428, 44, "#ddd1c8", 40);
    keys.forEach((row, index) => {
      const from = 230 - (row.length * 38) / 2;
      [...row].forEach((key, column) => {
        const x = from + column * 38;
        keyboard += rect(x + 2, 690 + index * 68, 34, 56, "#fffaf5", 7);
        keyboard += words(x + 19, 726 + index * 68, key, {
          size: 24,
          fill: "#3a2f28",
          at: "middle",
        });
      });
    });
    const texts = isOpen ? ["Yes, come", "today."] : ["Come", "tomorrow."];
    return (
      rect(34, 92, 392, 330, isOpen ? green : "#a2402a", 26) +
      words(62, 156, isOpen ? "Open until 18:00" : "Full since 14:10", {
        size: 32,
        fill: "#ffffff",
        font: "strong",
      }) +
      lines(62, 250, texts, { size: 62, leading: 70, fill: "#ffffff", font: "display" }) +
      words(62, 388, isOpen ? "Wait: short" : "We open at 7:30", { size: 31, fill: "#fff3ea" }) +
      rect(34, 450, 392, 76, "#ffffff", 16) +
      rect(34, 450, 392, 76, "#8a5a3622", 16) +
      words(58, 499, isOpen ? "vacci" : "nurse on du", { size: 32, fill: "#3a2f28" }) +
      stroke(isOpen ? "M138 470v36" : "M236 470v36", "#b5702f", 4) +
      words(40, 576, isOpen ? "Vaccination" : "Nurse on duty", { size: 30, fill: "#6b5a4e" }) +
      keyboard
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
