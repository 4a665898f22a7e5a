import { sha256Hex } from "../../../kit/hash.ts";
import { readData, unescapedJson } from "./data.ts";
import { noteElement } from "./element.ts";
import { decodeEntities } from "./entity.ts";
import { noteInline, scriptMode } from "./script.ts";
import { readStyle } from "./style.ts";
import { type Tag, tagsOf, MarkupTooComplex } from "./tags.ts";
import type { ReadContext } from "./fingerprint.ts";

/** Maximum nesting of texts inside attributes. */
const maxDepth = 4;

interface Reading {
  text: string;
  xml: boolean;
  depth: number;
  place: ReadContext;
  /** Remaining characters of texts inside elements that may be read. */
  budget: number;
  /** Where the next end tag of each kind is, as far as it was searched for. */
  ends: Map<string, number>;
}

/**
 * Where the text of a `script` or `style` ends: before the next end tag with its full name,
 * whatever that is part of. `</scripts>` and, in HTML, `</x:script>` don't end a script.
 */
function textEnd(reading: Reading, name: string, from: number): number {
  const known = reading.ends.get(name) ?? -1;
  if (known >= from) return known;
  const end = new RegExp(`</${name.replace(/\W/g, "\\$&")}(?=[\\t\\n\\f\\r />])`, "gi");
  end.lastIndex = from;
  const found = end.exec(reading.text)?.index ?? reading.text.length;
  reading.ends.set(name, found);
  return found;
}

function innerText(reading: Reading, tag: Tag): string {
  if (reading.xml && tag.selfClosing) return "";
  const end = textEnd(reading, tag.name, tag.end);
  reading.budget -= end - tag.end;
  if (reading.budget < 0) throw new MarkupTooComplex("its scripts are nested too deeply");
  return reading.text.slice(tag.end, end);
}

function readScript(reading: Reading, tag: Tag): void {
  const { place, depth } = reading;
  const mode = scriptMode(tag);
  const text = innerText(reading, tag);
  if (!mode.startsWith("data:")) return noteInline(text, mode, place);
  if (mode === "data:application/ld+json") return;
  readData(text, place);
  const plain = unescapedJson(text);
  if (plain !== text) readMarkup(plain, place, { depth: depth + 1 });
}

function readStyleElement(reading: Reading, tag: Tag): void {
  const text = innerText(reading, tag);
  readStyle(text, reading.place);
  // In SVG, its text is normal text.
  if (text.includes("&")) readStyle(decodeEntities(text), reading.place);
}

/** Attributes whose value is shown to people unchanged. */
const shownAsText = /^(?:alt|title|placeholder|label|summary|content|value|aria-.*)$/;

function readValues(reading: Reading, tag: Tag): void {
  for (const { name, value } of tag.attributes) {
    if (name === "srcdoc") {
      const what = "a page inside an attribute (srcdoc)";
      reading.place.sink({ kind: "script", key: `srcdoc:${sha256Hex(value)}`, what });
    } else if (shownAsText.test(name) || !/<[a-z]/i.test(value)) continue;
    reading.budget -= value.length;
    if (reading.budget < 0) throw new MarkupTooComplex("its attributes contain too much markup");
    readMarkup(value, reading.place, { depth: reading.depth + 1 });
  }
}

/**
 * Records what the markup of a page, an SVG, or a feed adds. Throws `MarkupTooComplex` if it
 * exceeds the limits.
 */
export function readMarkup(
  text: string,
  place: ReadContext,
  { xml = false, depth = 0 }: { xml?: boolean; depth?: number } = {},
): void {
  if (depth > maxDepth) {
    place.sink({ kind: "unread", key: `deep:${sha256Hex(text)}`, what: "pages nested too deeply" });
    return;
  }
  const budget = 6 * text.length + 100_000;
  const reading: Reading = { text, xml, depth, place, budget, ends: new Map() };
  for (const tag of tagsOf(text)) {
    noteElement(tag, place);
    const local = tag.name.slice(tag.name.lastIndexOf(":") + 1);
    if (local === "script") readScript(reading, tag);
    else if (local === "style") readStyleElement(reading, tag);
    readValues(reading, tag);
  }
}
