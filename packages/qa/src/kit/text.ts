// The last two ranges reverse the order of the text that follows them, wherever it is shown.
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** One line of text without control characters: trimmed, normalised to NFC, well-formed. */
export function cleanLine(value: string): string {
  // Normalised last: removing a control character can bring two halves of a character together.
  return value.toWellFormed().replace(controls, "").normalize("NFC").trim();
}
