import { circle, group, rect, svg } from "./draw.ts";

export const size = { width: 1600, height: 1200 };

/** A window with its title bar; `inner` is drawn over it. */
export function browser(background: string, frame: string, inner: string): string {
  const dots = [0, 1, 2].map((index) => circle(190 + index * 34, 176, 9, "#ffffff66")).join("");
  return svg(
    size,
    background,
    rect(140, 130, 1320, 940, frame, 22) + dots + rect(320, 158, 620, 36, "#ffffff26", 18) + inner,
  );
}

/** An upright telephone, 460 × 940, with its corner at x, y. */
export function phone(x: number, y: number, inner: string, paper: string): string {
  const body = rect(0, 0, 460, 940, "#15181c", 62) + rect(16, 16, 428, 908, paper, 48);
  return group(`translate(${x} ${y})`, body + inner + rect(170, 34, 120, 22, "#15181c", 11));
}
