const intro = "The owner says to this:";
const mark = `\n\n${intro} `;

/** An instruction that says all, with what the owner adds to it in words of their own. */
export function withNote(instruction: string, note: string): string {
  return note === "" ? instruction : `${instruction}${mark}${note}`;
}

/** An instruction without the owner's note; null where there is none. */
export function splitNote(text: string): { instruction: string; note: string | null } {
  const at = text.indexOf(mark);
  if (at < 0) return { instruction: text, note: null };
  return { instruction: text.slice(0, at), note: text.slice(at + mark.length).trim() };
}
