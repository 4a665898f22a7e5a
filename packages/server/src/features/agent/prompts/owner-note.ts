const intro = "The owner says to this:";
const mark = `\n\n${intro} `;

/** A complete instruction with the owner's note appended. */
export function withNote(instruction: string, note: string): string {
  return note === "" ? instruction : `${instruction}${mark}${note}`;
}

/** Splits an instruction and the owner's note; null if there is no note. */
export function splitNote(text: string): { instruction: string; note: string | null } {
  const at = text.indexOf(mark);
  if (at < 0) return { instruction: text, note: null };
  return { instruction: text.slice(0, at), note: text.slice(at + mark.length).trim() };
}
