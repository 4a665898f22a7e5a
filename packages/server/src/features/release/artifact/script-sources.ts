import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/**
 * Inline scripts of longer pages aren't searched for, so none of them runs: the search would delay
 * everything.
 */
const maxPageBytes = 16 * 1024 * 1024;
/** Maximum length of a script's tag, in characters. */
const maxTagLength = 64 * 1024;
/** Maximum script tags without an end; a working page has none. */
const maxBrokenTags = 50;
/** More wouldn't fit into the header that lists them. */
const maxScripts = 1000;

const dataScript = /\btype\s*=\s*["']?(application\/(ld\+)?json|text\/plain|text\/template)\b/i;

/**
 * The offset after the `>` of the tag that is open at `from`; -1 if it isn't within `maxTagLength`.
 */
function endOfTag(html: string, from: number): number {
  const mark = /[>"']/g;
  mark.lastIndex = from;
  for (let found = mark.exec(html); found; found = mark.exec(html)) {
    if (mark.lastIndex - from > maxTagLength) return -1;
    if (found[0] === ">") return mark.lastIndex;
    const closing = html.indexOf(found[0], mark.lastIndex);
    if (closing < 0) return -1;
    mark.lastIndex = closing + 1;
  }
  return -1;
}

/** The inline scripts of a page with their attributes. Linear in the page's length. */
function* scriptsIn(html: string): Generator<{ attributes: string; body: string }> {
  const start = /<script\b/gi;
  const end = /<\/script\s*>/gi;
  for (let broken = 0, found = 0; start.test(html) && found < maxScripts;) {
    const inside = endOfTag(html, start.lastIndex);
    if (inside < 0) {
      broken += 1;
      if (broken > maxBrokenTags) return;
      continue;
    }
    end.lastIndex = inside;
    const closing = end.exec(html);
    // If this script has no end, no later one has.
    if (closing === null) return;
    const attributes = html.slice(start.lastIndex, inside - 1);
    found += 1;
    yield { attributes, body: html.slice(inside, closing.index) };
    start.lastIndex = end.lastIndex;
  }
}

/**
 * CSP sources for the inline scripts of a page (CSP Level 3, hash-source); data blocks need none.
 */
export function inlineScripts(html: string): string[] {
  const sources = new Set<string>();
  if (html.length > maxPageBytes) return [];
  for (const { attributes, body } of scriptsIn(html)) {
    if (/(^|\s)src\s*=/i.test(attributes) || dataScript.test(attributes) || body === "") continue;
    sources.add(`sha256-${hash("sha256", body, "base64")}`);
  }
  return [...sources];
}

/** How a page declares that it loads WebAssembly, such as for its search. */
const wasmMarker = /<[a-z][^<>]*\sdata-allow="wasm"/;

/** CSP sources that a page needs for its scripts besides the site itself. */
export function scriptSources(html: string): string[] {
  if (html.length > maxPageBytes) return [];
  return [...inlineScripts(html), ...(wasmMarker.test(html) ? ["wasm-unsafe-eval"] : [])];
}

/**
 * Small pages are read synchronously, because waiting for each of very many takes several times as
 * long.
 */
const maxSyncReadBytes = 256 * 1024;

/** The same for a page on disk with this many bytes. */
export async function scriptSourcesOf(path: string, bytes: number): Promise<string[]> {
  if (bytes > maxPageBytes) return [];
  if (bytes <= maxSyncReadBytes) return scriptSources(readFileSync(path, "utf8"));
  return scriptSources(await readFile(path, "utf8"));
}
