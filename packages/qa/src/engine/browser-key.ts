import { createHash } from "node:crypto";
import type { Crawl, Reference, ReferenceKind } from "../crawl/crawl.ts";

/** What a page loads by itself; links don't change how it looks. */
const loaded: ReadonlySet<ReferenceKind> = new Set([
  "image",
  "srcset",
  "script",
  "style",
  "font",
  "frame",
  "media",
  "css",
  "preload",
]);

const withoutFragment = (url: string): string => url.replace(/#.*$/s, "");

/**
 * The browser key of each page, by path: while it stays the same, a browser would render the same
 * page. `engines` are the names and versions of the engines.
 */
export function browserKeys(crawl: Crawl, engines: string): Map<string, string> {
  const byPage = Map.groupBy(
    crawl.references.filter(({ kind }) => loaded.has(kind)),
    ({ page }: Reference) => page,
  );
  const keys = new Map<string, string>();
  for (const [path, { response }] of crawl.pages) {
    const urls = new Set((byPage.get(path) ?? []).map(({ url }) => withoutFragment(url)));
    const hash = createHash("sha256").update(`${engines}\0${response.hash}\0`);
    const policy = response.headers["content-security-policy"] ?? "";
    hash.update(`${response.status} ${policy}\0`);
    for (const url of [...urls].toSorted()) {
      const own = crawl.isOwn(url) ? crawl.responses.get(url) : undefined;
      hash.update(`${url} ${own?.status ?? ""} ${own?.hash ?? ""}\0`);
    }
    keys.set(path, hash.digest("hex").slice(0, 32));
  }
  return keys;
}
