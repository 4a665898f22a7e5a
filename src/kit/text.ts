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
