import { noteAddress } from "./address.ts";
import { absolute, stringsOf, vocabulary } from "./strings.ts";
import { fileAt, type Place } from "./trait.ts";

const escape = /\\(?:([0-9a-f]{1,6})(?:\r\n|[\t\n\f\r ])?|(\r\n|[\n\f\r])|([\s\S]))/gi;

/** What the escapes of a style sheet stand for (CSS Syntax, 4.3.7). */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(escape, (_, hex?: string, line?: string, other?: string) => {
    if (hex === undefined) return line === undefined ? (other ?? "") : "";
    const code = Number.parseInt(hex, 16);
    return code === 0 || code > 0x10_ff_ff ? "\ufffd" : String.fromCodePoint(code);
  });
}

const unquoted = /url\(\s*([^"'\s)][^\s)]*)/gi;
const imported = /@import(?:\s|\/\*[^]*?\*\/)*(?:url\(\s*["']?|["'])([^"')]+)/gi;

function noteLoaded(address: string, place: Place): void {
  if (!vocabulary.test(address)) noteAddress(address, "load", place);
}

/** Notes a style sheet that is loaded: by its origin, and by its kind when it lies on the site. */
export function noteSheet(address: string, place: Place): void {
  const lead = noteAddress(address, "style", place);
  if (lead.to !== "inside") return;
  const file = fileAt(place, lead.path);
  if (!file || file.type.startsWith("text/css")) return;
  const what = `takes ${lead.path} for a style sheet`;
  place.sink({ kind: "unread", key: `sheet:${lead.path}`, what });
}

/**
 * Notes what a style sheet, a `style` attribute or another value with `url()` in it loads from
 * elsewhere. Like the tags of a page, every string and every `url(` counts wherever it stands, also
 * in comments, so that it makes no difference how comments, strings and brackets lie within one
 * another. Throws `TooTangled`.
 */
export function readStyle(css: string, place: Place): void {
  const plain = unescaped(css);
  for (const [, address = ""] of plain.matchAll(unquoted)) noteLoaded(address, place);
  for (const [, address = ""] of plain.matchAll(imported)) noteSheet(address, place);
  for (const raw of stringsOf(css)) {
    const text = unescaped(raw);
    if (absolute.test(text)) noteLoaded(text, place);
  }
}
