import { parseFragment } from "parse5";

const cache = new Map<string, string>();
const maxCached = 2000;

/**
 * The text of an attribute's value, with character references decoded as browsers do (HTML
 * standard, 13.2.5.72); this includes those of XML.
 */
export function decodeEntities(value: string): string {
  if (!value.includes("&")) return value;
  const known = cache.get(value);
  if (known !== undefined) return known;
  const [node] = parseFragment(`<a x="${value.replaceAll('"', "&quot;")}">`).childNodes;
  const text = (node && "attrs" in node && node.attrs[0]?.value) || "";
  if (cache.size >= maxCached) cache.clear();
  if (value.length < 2000) cache.set(value, text);
  return text;
}
