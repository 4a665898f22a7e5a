import { inflateSync } from "node:zlib";

/** Maximum size of one decompressed stream. */
const maxStream = 16 * 1024 * 1024;
const maxObjects = 100_000;

interface PdfObject {
  head: string;
  body: string;
}

function unpack(packed: string): string {
  const bytes = Buffer.from(packed, "latin1");
  if (bytes[0] !== 0x78) return packed;
  try {
    return inflateSync(bytes, { maxOutputLength: maxStream }).toString("latin1");
  } catch {
    // Not compressed, or larger than any page: what is readable is read.
    return packed;
  }
}

/** The objects of a file by number (ISO 32000-2, 7.3.10), found from front to end. */
function objectsOf(text: string): Map<string, PdfObject> {
  const objects = new Map<string, PdfObject>();
  const start = /(\d{1,9}) 0 obj\b/g;
  while (objects.size < maxObjects) {
    const found = start.exec(text);
    if (found === null) break;
    const close = text.indexOf("endobj", start.lastIndex);
    const end = close < 0 ? text.length : close;
    const all = text.slice(start.lastIndex, end);
    const stream = /stream\r?\n/.exec(all);
    const last = all.lastIndexOf("endstream");
    const from = stream ? stream.index + stream[0].length : all.length;
    const body = last > from ? all.slice(from, last).replace(/\r?\n$/, "") : "";
    objects.set(found[1] ?? "", { head: all.slice(0, from), body: unpack(body) });
    start.lastIndex = end;
  }
  return objects;
}

function unitsOf(hex: string): string {
  const units = hex.match(/[0-9a-f]{4}/gi) ?? [];
  return units.map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join("");
}

/** The characters of a font's glyphs from its ToUnicode map (9.10.3): ranges and single ones. */
function lettersOfFont(map: string): Map<number, string> {
  const letters = new Map<number, string>();
  for (const [, from = "", list = ""] of map.matchAll(
    /<([0-9a-f]+)>\s*<[0-9a-f]+>\s*\[([^\]]*)\]/gi,
  )) {
    const entries = list.match(/<[^<>]*>/g) ?? [];
    for (const [n, entry] of entries.entries())
      letters.set(Number.parseInt(from, 16) + n, unitsOf(entry));
  }
  for (const [, code = "", units = ""] of map.matchAll(/^<([0-9a-f]+)>\s*<([0-9a-f]+)>\s*$/gim)) {
    letters.set(Number.parseInt(code, 16), unitsOf(units));
  }
  return letters;
}

/** The strings of a page's content (9.4.3), in drawing order. */
function drawn(content: string, fontOf: (name: string) => Map<number, string>): string {
  const parts: string[] = [];
  let letters = new Map<number, string>();
  for (const [, font, hex, plain] of content.matchAll(
    /\/([\w.-]+) [\d.]+ Tf|<([0-9a-f]+)>|\(((?:[^()\\]|\\.)*)\)|\bBDC\b|\bT\*|\bTd\b/gi,
  )) {
    if (font !== undefined) letters = fontOf(font);
    else if (hex !== undefined) {
      const codes = hex.match(/.{4}/g) ?? [];
      parts.push(codes.map((code) => letters.get(Number.parseInt(code, 16)) ?? "").join(""));
    } else parts.push(plain ?? " ");
  }
  return parts.join("");
}

/**
 * The words of a PDF as far as they can be read without a viewer: what its pages draw in fonts with
 * a ToUnicode map, and all strings of its objects.
 */
export function pdfText(bytes: Buffer): string {
  const objects = objectsOf(bytes.toString("latin1"));
  const fonts = new Map<string, Map<number, string>>();
  const maps = new Map<string, string>();
  for (const { head } of objects.values()) {
    for (const [, name = "", id = ""] of head.matchAll(/\/([\w.-]+) (\d+) 0 R/g)) {
      const map = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)?.head ?? "")?.[1];
      if (map !== undefined) maps.set(name, map);
    }
  }
  const fontOf = (name: string) => {
    const id = maps.get(name) ?? "";
    const known = fonts.get(id) ?? lettersOfFont(objects.get(id)?.body ?? "");
    fonts.set(id, known);
    return known;
  };
  const all = [...objects.values()];
  const pages = all.filter(({ body }) => /\bT[jJ]\b/.test(body));
  return [...all.map(({ head }) => head), ...pages.map(({ body }) => drawn(body, fontOf))].join(
    "\n",
  );
}
