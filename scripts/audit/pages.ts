import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** An address that doesn't exist on any site: the response is its 404 page. */
export const missingPath = "/a-page-that-is-not-there/";

/** Every page of a built site, by path. The 404 page is requested as such. */
export async function pagesInFolder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".html"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
  return files.map(pathOf).toSorted();
}

/** The site's address of a file. */
export function pathOf(file: string): string {
  if (file === "404.html" || file === "404/index.html") return missingPath;
  return `/${file.replace(/(^|\/)index\.html$/, "$1").replace(/\.html$/, "")}`;
}

async function textAt(address: string): Promise<string> {
  const response = await fetch(address);
  return response.ok ? response.text() : "";
}

/** The paths in the sitemap, wherever it is, including those of an index. */
async function pathsInSitemap(base: string, path: string): Promise<string[]> {
  const xml = await textAt(new URL(path, base).href);
  const named = [...xml.matchAll(/<loc>\s*([^<]*?)\s*<\/loc>/g)].map(
    ([, loc = ""]) => new URL(loc.replaceAll("&amp;", "&"), base).pathname,
  );
  if (!xml.includes("<sitemapindex")) return named;
  const inner = await Promise.all(named.map((one) => pathsInSitemap(base, one)));
  return inner.flat();
}

/** The paths of this site that a page links to and that look like pages. */
export function pathsInPage(html: string, base: string): string[] {
  const links = [...html.matchAll(/<a\b[^>]*\bhref=["']?([^"'\s>]+)/gi)];
  return links.flatMap(([, href = ""]) => {
    const url = URL.parse(href.replaceAll("&amp;", "&"), base);
    if (url?.origin !== new URL(base).origin) return [];
    return /\.(?!html$)\w+$/.test(url.pathname) ? [] : [url.pathname];
  });
}

/** The maximum number of pages of a site that is only known by its address. */
const maxPages = 60;

/** The pages of a site: those in its sitemap, the pages they link to, and its 404 page. */
export async function pagesByAddress(base: string): Promise<string[]> {
  const listed = await Promise.all(
    ["/sitemap-index.xml", "/sitemap.xml"].map((path) => pathsInSitemap(base, path)),
  );
  const found = new Set(["/", ...listed.flat()]);
  for (const path of found) {
    if (found.size >= maxPages) break;
    const address = new URL(path, base).href;
    for (const link of pathsInPage(await textAt(address), address)) found.add(link);
  }
  return [...[...found].slice(0, maxPages).toSorted(), missingPath];
}
