/** A part of a text to replace; offsets in UTF-16 units, `end` exclusive. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/**
 * Applies edits without overlaps; of several at one place, the first counts. Everything else stays
 * unchanged.
 */
export function applyEdits(source: string, edits: readonly TextEdit[]): string {
  let result = "";
  let position = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    if (start < position) continue;
    result += source.slice(position, start) + text;
    position = end;
  }
  return result + source.slice(position);
}
