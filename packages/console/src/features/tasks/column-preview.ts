import type { BoardColumn, Task } from "../../api/types.ts";

/** How many finished tasks are shown at first; a few more need no separate button. */
const first = 8;
const spare = 2;

/**
 * The initial cards of a column: everything that is waiting or needs review, and the newest
 * finished ones, so that the board stays about as high as the screen.
 */
export function columnPreview(column: BoardColumn, items: readonly Task[]): readonly Task[] {
  const isOver = column === "published" || column === "ended";
  return isOver && items.length > first + spare ? items.slice(0, first) : items;
}
