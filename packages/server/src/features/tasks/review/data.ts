import { noteAddress } from "./link-target.ts";
import { isExternalOrCode, stringsOf } from "./strings.ts";
import type { ReadContext } from "./fingerprint.ts";

const escape = /\\(?:u([0-9a-f]{4})|([^]))/gi;

/** JSON with its escapes resolved: not valid JSON, but with texts as scripts see them. */
export function unescapedJson(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(escape, (_, hex?: string, other?: string) =>
    hex === undefined ? (other ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Records a value of unknown purpose if it is an external address. */
export function noteValue(value: string, place: ReadContext): void {
  if (!isExternalOrCode(value)) return;
  // “JavaScript: the good parts” is the title of a book.
  if (/^javascript:\s[^(=`;[]*$/i.test(value.trim())) return;
  noteAddress(value, "data", place);
}

/** Records external addresses in JSON for scripts, as whole texts. */
export function readData(text: string, place: ReadContext): void {
  for (const raw of stringsOf(text)) noteValue(unescapedJson(raw), place);
}
