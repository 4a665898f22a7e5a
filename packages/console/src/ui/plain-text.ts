/* oxlint-disable no-control-regex -- taking control characters out is what this file is for */
const ansi =
  /[\u001b\u009b](?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_]|[0-?]*[ -/]*[@-~])?/g;
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const bidi = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes text from a model, a build, or a file safe to show: removes terminal escapes and control
 * characters, and escapes characters that reorder a line, so that a diff can't be misread
 * (CVE-2021-42574).
 */
export function plainText(value: unknown): string {
  if (typeof value !== "string") return "";
  return value
    .replaceAll("\r\n", "\n")
    .replace(ansi, "")
    .replace(control, "")
    .replace(bidi, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`);
}
