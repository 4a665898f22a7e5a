/** A piece of a text to be replaced; offsets in UTF-16 units, `end` exclusive. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** Makes edits that don't overlap; of several at one place the first counts. All else stays as it is. */
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
