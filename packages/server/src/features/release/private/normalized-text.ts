import { parseFragment } from "parse5";

/**
 * A text reduced to letters and digits, so that case, spaces, quotes, dashes, markup, and invisible
 * characters don't matter.
 */
export interface NormalizedText {
  /** UTF-16 units: NFKD, lowercase, without diacritics. */
  units: Uint16Array;
  /** 1 if a unit begins a word. */
  starts: Uint8Array;
}

const other = 0;
const letter = 1;
const ideograph = 2;
const ignored = 3;
const unknown = 255;

/** Scripts without spaces: each character counts as a word, and as three letters. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const unspacedWeight = 3;

function classify(character: string): number {
  if (/[\p{M}\p{Cf}]/u.test(character)) return ignored;
  if (!/[\p{L}\p{N}]/u.test(character)) return other;
  return unspaced.test(character) ? ideograph : letter;
}

const classes = new Uint8Array(65_536).fill(unknown);
const astral = new Map<number, number>();

function classOf(text: string, at: number, unit: number): number {
  if (unit < 0xd800 || unit > 0xdbff) {
    const known = classes[unit];
    if (known !== undefined && known !== unknown) return known;
    return (classes[unit] = classify(String.fromCharCode(unit)));
  }
  const point = text.codePointAt(at) ?? 0;
  const known = astral.get(point) ?? classify(String.fromCodePoint(point));
  astral.set(point, known);
  return known;
}

/** The letters of a text; linear in its length. */
export function normalizeText(given: string): NormalizedText {
  const text = given.normalize("NFKD").toLowerCase();
  const units = new Uint16Array(text.length * unspacedWeight);
  const starts = new Uint8Array(text.length * unspacedWeight);
  let length = 0;
  let isStart = true;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const kind = classOf(text, at, unit);
    const isPair = unit >= 0xd800 && unit <= 0xdbff;
    if (kind === other) isStart = true;
    else if (kind !== ignored) {
      starts[length] = isStart || kind === ideograph ? 1 : 0;
      for (let n = kind === ideograph ? unspacedWeight : 1; n > 0; n -= 1) units[length++] = unit;
      if (isPair) units[length++] = text.charCodeAt(at + 1);
      isStart = kind === ideograph;
    }
    if (isPair) at += 1;
  }
  return { units: units.slice(0, length), starts: starts.slice(0, length) };
}

const named = new Map<string, string>();

/** The character for an HTML character reference (HTML standard, 13.5); a space if unknown. */
function reference(source: string): string {
  const number = /^&#(?:x([0-9a-f]+)|(\d+))/i.exec(source);
  if (number) {
    const point = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16);
    return point > 0 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : " ";
  }
  const known = named.get(source);
  if (known !== undefined) return known;
  const [node] = parseFragment(source).childNodes;
  const text = node && "value" in node ? node.value : " ";
  if (named.size < 5000) named.set(source, text);
  return text;
}

function percent(source: string): string {
  const bytes = Buffer.from(source.replaceAll("%", ""), "hex");
  return bytes.toString("utf8");
}

const escapes =
  /&(?:#x[0-9a-f]{1,8}|#\d{1,8}|[a-z][a-z0-9]{1,31});?|\\u\{?[0-9a-f]{4,6}\}?|\\x[0-9a-f]{2}|\\[nrtbfv]|(?:%[0-9a-f]{2})+/gi;

/** Decodes HTML character references, escapes of JSON and scripts, and percent encoding. */
export function decodeEscapes(text: string): string {
  return text.replace(escapes, (source) => {
    if (source.startsWith("&")) return reference(source);
    if (source.startsWith("%")) return percent(source);
    if (!/^\\[ux]/i.test(source)) return " ";
    const point = Number.parseInt(source.replace(/^\\[ux]\{?/i, ""), 16);
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : " ";
  });
}

/** Where a tag that begins at `from` ends; as in HTML, quotes count only after an equals sign. */
function tagEnd(html: string, from: number): number {
  for (let at = from; at < html.length; at += 1) {
    const character = html[at];
    if (character === ">") return at + 1;
    if (character !== "=") continue;
    let value = at + 1;
    while (/\s/.test(html[value] ?? "")) value += 1;
    const quote = html[value];
    if (quote !== '"' && quote !== "'") continue;
    const close = html.indexOf(quote, value + 1);
    if (close < 0) return html.length;
    at = close;
  }
  return html.length;
}

/** Elements whose content isn't shown with the surrounding text. */
const hiddenElements = /^<(script|style)\b/i;

/** Where the content of a hidden element ends. Linear: nothing is searched for twice. */
function contentEnd(html: string, from: number, name: string): number {
  const close = new RegExp(`</${name}`, "gi");
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

/** The text without tags, comments, scripts, and styles, each replaced by a space. */
export function withoutTags(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) break;
    if (!/[a-z/!?]/i.test(html[open + 1] ?? "")) {
      parts.push(html.slice(at, open + 1));
      at = open + 1;
      continue;
    }
    parts.push(html.slice(at, open));
    if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open + 4);
      at = end < 0 ? html.length : end + 3;
    } else {
      at = tagEnd(html, open + 1);
      const name = hiddenElements.exec(html.slice(open, open + 12))?.[1];
      if (name !== undefined) at = contentEnd(html, at, name);
    }
  }
  parts.push(html.slice(at));
  return parts.join(" ");
}
