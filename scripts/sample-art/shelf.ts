import { circle, group, rect, scale, seeded, shape, stroke, svg, textLines } from "./draw.ts";
import { size } from "./frames.ts";

/** What stands around the return shelf. */

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
        .map(([x, height, colour]) =>
          rect(
            x as number,
            930 - (height as number) * 0.55,
            50,
            (height as number) * 0.55,
            colour as string,
            4,
          ),
        )
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
      inner += rect(
        170 + hour * 142,
        190 + day * 140,
        126,
        124,
        scale(["#f7efe2", "#f6d7a7", "#f2a33c", "#d9482b", "#5c1a12"], amount),
        12,
      );
    }
  }
  return svg(size, "#ecdcc8", inner);
}

/** Labels for the ends of the shelves, one shape for each reading age. */
export function labels(): string {
  const label = (x: number, colour: string, sign: string) =>
    group(
      `translate(${x} 240)`,
      rect(0, 0, 310, 720, colour, 26) +
        circle(155, 70, 20, "#ecdcc8") +
        sign +
        textLines(85, 600, [140, 90], { fill: "#f7efe2", height: 20, leading: 42 }),
    );
  return svg(
    size,
    "#ecdcc8",
    label(90, "#d9482b", circle(155, 340, 96, "#f7efe2")) +
      label(460, "#2f7f73", rect(65, 250, 180, 180, "#f7efe2", 12)) +
      label(830, "#2a2a3c", shape("M155 230L260 430H50Z", "#f7efe2")) +
      label(
        1200,
        "#b8741a",
        shape("M155 224l34 80 86 6-66 56 22 84-76-46-76 46 22-84-66-56 86-6Z", "#f7efe2"),
      ),
  );
}
