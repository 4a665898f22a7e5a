import { noteAddress } from "./link-target.ts";
import { isExternalOrCode, stringsOf } from "./strings.ts";
import type { ReadContext } from "./fingerprint.ts";

const escape = /\\(?:u([0-9a-f]{4})|([^]))/gi;

/** JSON with its escapes resolved: no longer JSON, but the texts in it as scripts get them. */
export function unescapedJson(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(escape, (_, hex?: string, other?: string) =>
    hex === undefined ? (other ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Notes a value of which it isn't known what it is for, when it is an address elsewhere. */
export function noteValue(value: string, place: ReadContext): void {
  if (!isExternalOrCode(value)) return;
  // “JavaScript: the good parts” is the title of a book.
  if (/^javascript:\s[^(=`;[]*$/i.test(value.trim())) return;
  noteAddress(value, "data", place);
}

/** Notes the addresses elsewhere that JSON for scripts names, as whole texts. */
export function readData(text: string, place: ReadContext): void {
  for (const raw of stringsOf(text)) noteValue(unescapedJson(raw), place);
}
