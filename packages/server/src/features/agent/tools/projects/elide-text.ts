/** The longest answer, in characters: a whole text fits. */
const maxCharacters = 60_000;

/** A text as a tool answers with it, cut where it is longer than any record's text may be. */
export function elideText(text: string): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}\n… (cut, ${text.length} characters; read one field at a time)`;
}
