/** The distances up to each letter of a text. */
type Row = Uint32Array<ArrayBuffer>;

/** Computes row `i` from the rows above it; returns its minimum. */
function fill(row: Row, above: Row, before: Row, a: string, b: string, i: number): number {
  const [letter, letterBefore] = [a.charCodeAt(i - 1), a.charCodeAt(i - 2)];
  let left = i;
  let min = i;
  row[0] = i;
  for (let j = 1; j <= b.length; j++) {
    const other = b.charCodeAt(j - 1);
    const exchanged = (above[j - 1] as number) + (letter === other ? 0 : 1);
    let cost = Math.min((above[j] as number) + 1, left + 1, exchanged);
    if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && letterBefore === other) {
      cost = Math.min(cost, (before[j - 2] as number) + 1);
    }
    row[j] = cost;
    left = cost;
    if (cost < min) min = cost;
  }
  return min;
}

/**
 * The number of insertions, deletions, replacements, and swaps that turn one text into the other
 * (optimal string alignment). At most `max` + 1, which stands for anything above.
 */
export function distance(a: string, b: string, max = Infinity): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > max) return max + 1;
  const width = b.length + 1;
  let before: Row = new Uint32Array(width);
  let above: Row = before.map((_, i) => i);
  let row: Row = new Uint32Array(width);
  for (let i = 1; i <= a.length; i++) {
    if (fill(row, above, before, a, b, i) > max) return max + 1;
    [before, above, row] = [above, row, before];
  }
  return above[b.length] as number;
}

/** The similarity of two texts: 1 if they are the same, 0 if they have nothing in common. */
export function similarity(a: string, b: string): number {
  const maxLength = Math.max(a.length, b.length);
  return maxLength === 0 ? 1 : 1 - distance(a, b) / maxLength;
}
