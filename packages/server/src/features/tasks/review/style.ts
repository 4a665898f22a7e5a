import { cleanAddress, noteAddress } from "./link-target.ts";
import { isExternalOrCode, stringsOf } from "./strings.ts";
import { MarkupTooComplex } from "./tags.ts";
import { fileAt, type ReadContext } from "./fingerprint.ts";

const escape = /\\(?:([0-9a-f]{1,6})(?:\r\n|[\t\n\f\r ])?|(\r\n|[\n\f\r])|([\s\S]))/gi;

/** Resolves the escapes of a style sheet (CSS Syntax, 4.3.7). */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(escape, (_, hex?: string, line?: string, other?: string) => {
    if (hex === undefined) return line === undefined ? (other ?? "") : "";
    const code = Number.parseInt(hex, 16);
    return code === 0 || code > 0x10_ff_ff ? "\ufffd" : String.fromCodePoint(code);
  });
}

// Names and addresses may be written with escapes.
const letter = (plain: string, code: string) =>
  `(?:\\\\?${plain}|\\\\0{0,4}[${code[0]}${code[1]}]${code[2]}(?:\\r\\n|[\\t\\n\\f\\r ])?)`;
const urlName = `${letter("u", "575")}${letter("r", "572")}${letter("l", "46c")}`;
const unquoted = new RegExp(
  `${urlName}\\(\\s*(?=((?:\\\\(?:[0-9a-f]{1,6}(?:\\r\\n|[\\t\\n\\f\\r ])?|[^])|[^\\\\\\s)"'])+))`,
  "gi",
);
const imported = /@import(?:\s|\/\*[^]*?\*\/)*(?:url\(\s*["']?|["'])(?=([^"')]+))/gi;
const foreignCharset = /^\ufeff?@charset\s*["'](?!utf-?8["'])/i;

/** Records a loaded style sheet: by its origin, or by its kind if it is on the site. */
export function noteSheet(address: string, place: ReadContext): void {
  const target = noteAddress(address, "style", place);
  if (target.to !== "inside") return;
  const file = fileAt(place, target.path);
  if (!file || file.type.startsWith("text/css")) return;
  const what = `uses ${target.path} as a style sheet`;
  place.sink({ kind: "unread", key: `sheet:${target.path}`, what });
}

const head = 4096;

/** The address in a raw value; for a long one, only if it may be external. */
function addressIn(raw: string): string {
  if (raw.length <= head) return unescaped(raw);
  const start = unescaped(raw.slice(0, head));
  const decided = cleanAddress(start).length > 100 && !isExternalOrCode(start);
  return decided ? "" : unescaped(raw);
}

/** All matches of a pattern, including overlapping ones. */
function* foundIn(text: string, pattern: RegExp): Generator<string> {
  let budget = 6 * text.length + 100_000;
  for (const [, found = ""] of text.matchAll(pattern)) {
    budget -= found.length;
    if (budget < 0) throw new MarkupTooComplex("its addresses are nested too deeply");
    yield found;
  }
}

/**
 * Records what a style sheet, a `style` attribute, or another value with `url()` loads from other
 * origins. As with tags, every string and every `url(` counts wherever it is, even in comments, so
 * that the nesting of comments, strings, and brackets doesn't matter. Throws `MarkupTooComplex`.
 */
export function readStyle(css: string, place: ReadContext): void {
  for (const found of [foundIn(css, unquoted), stringsOf(css)]) {
    for (const raw of found) {
      const address = addressIn(raw);
      if (isExternalOrCode(address)) noteAddress(address, "load", place);
    }
  }
  for (const address of foundIn(unescaped(css), imported)) noteSheet(address, place);
  if (!foreignCharset.test(css)) return;
  const what = "a style sheet in another encoding";
  place.sink({ kind: "unread", key: `charset:css:${place.path}`, what });
}
