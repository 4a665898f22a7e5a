import { workerJob, type WorkerPool, WorkerFailure } from "../../../platform/worker-pool.ts";
import type { LiveReleases } from "../../release/site/live-release.ts";
import { findInRelease } from "../../release/site/public-site.ts";
import type { FindingSource } from "./finding-source.ts";
import type { ElementQuery, findPageElements, PageElements } from "./page-elements-worker.ts";

export interface FindElementsDependencies {
  workers: WorkerPool;
  releases: LiveReleases;
}

/** Queries for the elements of one page of the live site. */
export interface PageQueries {
  page: string;
  queries: readonly ElementQuery[];
}

const findElementsJob = workerJob<typeof findPageElements>(
  new URL("./page-elements-worker.ts", import.meta.url),
  "findPageElements",
);

async function readElements(
  { workers, releases }: FindElementsDependencies,
  path: string,
  queries: readonly ElementQuery[],
): Promise<PageElements[]> {
  const release = await releases.current();
  const found = release && findInRelease(release, path.split("?", 1)[0]);
  if (found === undefined || found === "missing" || !("file" in found) || !found.file.page) {
    return [];
  }
  const { file } = found;
  const page = { path: file.path, release: file.release, hash: file.entry.hash };
  try {
    return await workers.run(findElementsJob, { page, queries });
  } catch (error) {
    // A page that can't be read in time has no results.
    if (error instanceof WorkerFailure) return [];
    throw error;
  }
}

/**
 * The elements that match queries, in the order of `asked`. Each page is read once, those asked for
 * first before others; there are no results for a page that isn't live, nor beyond `maxPages`.
 */
export async function findElements(
  deps: FindElementsDependencies,
  asked: readonly PageQueries[],
  maxPages: number,
): Promise<PageElements[][]> {
  const results: PageElements[][] = asked.map(() => []);
  const byPage = Map.groupBy(asked.keys(), (index) => asked[index]?.page ?? "");
  const wanted = [...byPage].filter(([, indexes]) =>
    indexes.some((index) => asked[index]?.queries.length !== 0),
  );
  for (const [page, indexes] of wanted.slice(0, maxPages)) {
    const queries = indexes.flatMap((index) => asked[index]?.queries ?? []);
    // oxlint-disable-next-line no-await-in-loop -- a page at a time: others wait for the same threads
    const elements = await readElements(deps, page, queries);
    let next = 0;
    for (const index of indexes) {
      const end = next + (asked[index]?.queries.length ?? 0);
      results[index] = elements.slice(next, end);
      next = end;
    }
  }
  return results;
}

/** The only source line of elements; null if there are several, or some aren't from a file. */
export function filePlace(elements: PageElements | undefined): FindingSource | null {
  const [source, ...others] = elements?.sources ?? [];
  if (source === undefined || others.length > 0 || elements?.untagged !== 0) return null;
  const [, file = "", line = ""] = /^(.+):(\d+):\d+$/.exec(source) ?? [];
  return file === "" ? null : { kind: "file", file, line: Number(line) };
}
