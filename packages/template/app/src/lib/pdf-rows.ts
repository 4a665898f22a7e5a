/** Rows: the lines of a document before it is known on which page they stand. */

/** A4 in points, and its margins. */
export const page = { width: 595.28, height: 841.89, top: 54, bottom: 60, left: 52, right: 52 };

/** A line's height of the page, drawn when it is known where. */
export interface Row {
  height: number;
  /** Whether the row must not be the last of its page. */
  keep: boolean;
  /** Room between others, not needed where a page begins. */
  blank?: boolean;
  draw: (y: number) => void;
}

/**
 * Two lists of rows beside each other.
 * @param first Which one is read first in each row: the one with the heading.
 */
export function joinColumns(left: Row[], right: Row[], first: "left" | "right"): Row[] {
  const count = Math.max(left.length, right.length);
  return Array.from({ length: count }, (_, index) => {
    const [a, b] = [left[index], right[index]];
    return {
      height: Math.max(a?.height ?? 0, b?.height ?? 0),
      keep: index < left.length - 1 || (b?.keep ?? false),
      draw: (y: number) => {
        for (const row of first === "left" ? [a, b] : [b, a]) row?.draw(y);
      },
    };
  });
}

export function space(height: number, keep = false): Row {
  return { height, keep, blank: true, draw: () => undefined };
}

/** How much room the row needs with all that must stay on its page; a whole page at most. */
export function heightKeptTogether(rows: Row[], from: number): number {
  let height = 0;
  for (let index = from; index < rows.length; index++) {
    const row = rows[index] as Row;
    height += row.height;
    if (!row.keep) break;
  }
  const whole = page.height - page.top - page.bottom;
  return height > whole ? (rows[from] as Row).height : height;
}

/** The same rows, with something to do before the first and after the last of them. */
export function bracket(rows: Row[], before: () => void, after: () => void): Row[] {
  return rows.map((row, index) => ({
    ...row,
    draw: (y) => {
      if (index === 0) before();
      row.draw(y);
      if (index === rows.length - 1) after();
    },
  }));
}
