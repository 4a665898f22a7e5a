/** The error for a text that no database could return (an unpaired surrogate has no UTF-8). */
export const illFormedMessage = "contains a broken character (half of a surrogate pair)";
/** The error for control characters in a text that is stored unchanged. */
export const controlCharactersMessage = "contains control characters";

// eslint-disable-next-line no-control-regex
const unstorable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;

/** Whether a text has control characters other than tab, line feed and carriage return. */
export function hasControls(value: string): boolean {
  return unstorable.test(value);
}

// The last two ranges change the direction of the text that follows, wherever it is shown.
// eslint-disable-next-line no-control-regex
const controlsButBreaks = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Trims, normalizes to NFC, and removes control characters; newline and tab stay if `multiline`. An
 * unpaired surrogate has no UTF-8, so no database would return it: it becomes U+FFFD.
 */
export function cleanText(value: string, options: { multiline?: boolean } = {}): string {
  const unified = value.toWellFormed().replace(/\r\n?/g, "\n");
  // Composed last, because removing a control character can join what it separated.
  return unified
    .replace(options.multiline ? controlsButBreaks : controls, "")
    .normalize("NFC")
    .trim();
}

/** A number of bytes as people read it: whole MiB, or GiB with one digit. */
export function binarySize(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  if (mebibytes < 1024) return `${Math.round(mebibytes)} MiB`;
  return `${Number((mebibytes / 1024).toFixed(1))} GiB`;
}
