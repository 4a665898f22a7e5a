/** Why a text is refused that no database could give back (half a surrogate pair has no UTF-8). */
export const illFormedMessage = "contains a broken character (half of a surrogate pair)";
/** Why a text is refused that is to be kept as it is and has what no text may have. */
export const controlCharactersMessage = "contains control characters";

// eslint-disable-next-line no-control-regex
const unstorable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;

/** Whether a text has control characters other than tab, line feed and carriage return. */
export function hasControls(value: string): boolean {
  return unstorable.test(value);
}

// The last two ranges turn the order of what follows around, in whatever shows the text next.
// eslint-disable-next-line no-control-regex
const controlsButBreaks = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Trims, normalises to NFC and drops control characters; newline and tab stay where `multiline`. Half
 * a surrogate pair has no form in UTF-8, so no database would give it back: it becomes U+FFFD.
 */
export function cleanText(value: string, options: { multiline?: boolean } = {}): string {
  const unified = value.toWellFormed().replace(/\r\n?/g, "\n");
  // Composed last: what a control character has kept apart comes together without it.
  return unified
    .replace(options.multiline ? controlsButBreaks : controls, "")
    .normalize("NFC")
    .trim();
}

/** A number of bytes as people read it: whole MiB, or GiB with one digit where it is that much. */
export function binarySize(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  if (mebibytes < 1024) return `${Math.round(mebibytes)} MiB`;
  return `${Number((mebibytes / 1024).toFixed(1))} GiB`;
}
