import { circle, group, rect, scale, seeded, shape, stroke, svg } from "./draw.ts";
import { size } from "./frames.ts";
import { words } from "./type.ts";

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
      words(800, 636, "Thank you", { size: 88, fill: "#1f4e4a", font: "display", at: "middle" }) +
      words(800, 712, "Four books are back.", { size: 44, fill: "#2a2a3c", at: "middle" }) +
      words(800, 772, "You may go and play.", { size: 36, fill: "#6b5a4e", at: "middle" }) +
      rect(0, 960, 1600, 240, "#ecdcc8") +
      rect(0, 930, 1600, 32, "#8cc0a8") +
      rect(560, 930, 480, 32, "#a8f0c8") +
      [
        [590, 200, "#d9482b"],
        [650, 180, "#f2a33c"],
        [712, 214, "#2a2a3c"],
        [776, 190, "#f6d7a7"],
      ]
        .map(([x, height, color]) =>
          rect(
            x as number,
            930 - (height as number) * 0.55,
            50,
            (height as number) * 0.55,
            color as string,
            4,
          ),
        )
        .join(""),
  );
}

const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Returns by weekday and hour: one block is Tuesday after school. */
export function hours(seed: number): string {
  const random = seeded(seed);
  const style = { size: 36, fill: "#5c4634", font: "strong", at: "middle" } as const;
  let inner = "";
  for (let hour = 0; hour < 9; hour++) inner += words(305 + hour * 138, 170, `${hour + 10}`, style);
  for (let day = 0; day < 6; day++) {
    inner += words(160, 284 + day * 148, weekdays[day] ?? "", style);
    for (let hour = 0; hour < 9; hour++) {
      const school = hour === 5 || hour === 6 ? 0.45 : 0;
      const amount = Math.min(1, random() * 0.35 + school + (day === 1 && hour === 5 ? 0.5 : 0));
      const fill = scale(["#f7efe2", "#f6d7a7", "#f2a33c", "#d9482b", "#5c1a12"], amount);
      const returned = `${Math.round(3 + amount * 57)}`;
      const ink = amount > 0.62 ? "#ffffff" : "#5c4634";
      inner += rect(242 + hour * 138, 206 + day * 148, 126, 132, fill, 14);
      inner += words(305 + hour * 138, 286 + day * 148, returned, {
        size: 38,
        fill: ink,
        at: "middle",
      });
    }
  }
  return svg(size, "#ecdcc8", inner);
}

/** Labels for the ends of the shelves, one shape for each reading age. */
export function labels(): string {
  const label = (x: number, color: string, age: string, sign: string) =>
    group(
      `translate(${x} 240)`,
      rect(0, 0, 310, 720, color, 26) +
        circle(155, 70, 20, "#ecdcc8") +
        sign +
        words(155, 600, age, { size: 92, fill: "#f7efe2", font: "display", at: "middle" }) +
        words(155, 658, "years", { size: 40, fill: "#f7efe2", at: "middle" }),
    );
  return svg(
    size,
    "#ecdcc8",
    label(90, "#bf3a20", "0–3", circle(155, 340, 96, "#f7efe2")) +
      label(460, "#256b61", "4–6", rect(65, 250, 180, 180, "#f7efe2", 12)) +
      label(830, "#2a2a3c", "7–9", shape("M155 230L260 430H50Z", "#f7efe2")) +
      label(
        1200,
        "#96590c",
        "10+",
        shape("M155 224l34 80 86 6-66 56 22 84-76-46-76 46 22-84-66-56 86-6Z", "#f7efe2"),
      ),
  );
}
