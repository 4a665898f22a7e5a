import type { BoardColumn, Task } from "../../api/types.ts";

/** As many of what is over are shown at first, and so many more without a button for them alone. */
const first = 8;
const spare = 2;

/**
 * The cards that a column begins with: all that is still to come or to be looked at, and the newest
 * of what is over, so that the board stays about as high as the screen.
 */
export function columnPreview(column: BoardColumn, items: readonly Task[]): readonly Task[] {
  const isOver = column === "published" || column === "ended";
  return isOver && items.length > first + spare ? items.slice(0, first) : items;
}
