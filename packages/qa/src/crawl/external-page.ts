import type { CrawlResponse, ExternalPage } from "./crawl.ts";
import { decodeText } from "./decode.ts";

/** Pages with longer lists aren't judged: each list is kept until the end of the run. */
const maxListLength = 16 * 1024;
/**
 * Ids and names, wherever they are: in a comment, too. What isn't found doesn't exist; what is
 * found may not be one.
 */
const named = /[\s"'/](?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/gi;
const scripted = /<script|\son[a-z]+\s*=|javascript:/i;
const html = /^(?:text\/html|application\/xhtml\+xml)/i;
const separator = "\n";

const references: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Character references that occur in names; a name with any other matches no fragment or itself. */
const decoded = (name: string): string =>
  name.includes("&")
    ? name.replace(
        /&(?:#(\d{1,6})|#x([\da-f]{1,5})|(amp|lt|gt|quot|apos));/gi,
        (whole, ...found) => {
          const [decimal, hex, word] = found as (string | undefined)[];
          if (word !== undefined) return references[word.toLowerCase()] ?? whole;
          return String.fromCodePoint(decimal === undefined ? parseInt(hex ?? "", 16) : +decimal);
        },
      )
    : name;

/** Reads a page of another site; undefined for anything else, and for a page that was cut off. */
export function readExternalPage(
  { status, verdict, truncated, failure, headers }: CrawlResponse,
  body: Buffer | null,
): ExternalPage | undefined {
  if (status !== 200 || verdict !== "ok" || truncated || failure || !body) return undefined;
  const type = headers["content-type"];
  if (!html.test(type ?? "")) return undefined;
  const text = decodeText(body, type);
  const names: string[] = [];
  let length = 0;
  for (const [, double, single, bare] of text.matchAll(named)) {
    const name = decoded(double ?? single ?? bare ?? "");
    if (name.includes(separator)) continue;
    length += name.length + 1;
    if (length > maxListLength) return undefined;
    names.push(name);
  }
  // Copied, because parts of a text keep all of it in memory.
  const list = Buffer.from(`${separator}${names.join(separator)}${separator}`).toString();
  return {
    hasTarget: (name) => list.includes(`${separator}${name}${separator}`),
    hasScripts: scripted.test(text),
  };
}
