import { hash } from "node:crypto";
import { readPage } from "../page/page.ts";
import { fileOf } from "../site/crawled-site.ts";
import type { Crawl } from "./crawl.ts";
import { decodeText } from "./decode.ts";
import { mainText } from "./facts.ts";
import type { Fetcher } from "./fetcher.ts";
import { printOf } from "./simhash.ts";

export type Baseline = NonNullable<ReturnType<Crawl["baselineOf"]>>;

const maxFolders = 20;

/** The folder of an address: `/work/` for `/work/x` and for `/work/x/`. */
export function folderOf(pathname: string): string {
  const path = pathname.endsWith("/") ? pathname.slice(0, -1) : pathname;
  return path.slice(0, path.lastIndexOf("/") + 1) || "/";
}

/** A page name that nobody uses; always the same, so that caches of the site stay small. */
const nowhere = (folder: string): string =>
  `${folder}not-here-${hash("sha256", folder).slice(0, 10)}`;

async function ask(fetcher: Fetcher, origin: string, folder: string): Promise<Baseline> {
  const url = origin + nowhere(folder);
  const { answer: response, body } = await fetcher.own(url);
  const isPage = body !== null && response.sniffed === "text/html" && body.length < 1024 * 1024;
  let simhash = "0".repeat(16);
  if (isPage) {
    try {
      const text = decodeText(body, response.headers["content-type"]);
      ({ simhash } = printOf(mainText(readPage(folder, fileOf(response), text))));
    } catch {
      // Too large to parse: it can't be compared with anything.
    }
  }
  return { simhash, status: response.status, url };
}

/**
 * Requests missing addresses in the folders with the most pages, to learn how the site responds.
 */
export async function readBaselines(
  fetcher: Fetcher,
  origin: string,
  pathnames: readonly string[],
): Promise<ReadonlyMap<string, Baseline>> {
  const counts = new Map<string, number>([["/", Number.MAX_SAFE_INTEGER]]);
  for (const pathname of pathnames) {
    const folder = folderOf(pathname);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const folders = [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, maxFolders)
    .map(([folder]) => folder);
  const found = folders.map(
    async (folder) => [folder, await ask(fetcher, origin, folder)] as const,
  );
  return new Map(await Promise.all(found));
}
