import { setImmediate } from "node:timers/promises";
import { readManifest } from "../../release/artifact/artifact.ts";
import type { BuildReport } from "../../runs/schema.ts";
import type { Finding } from "vitrine-qa/src/finding.ts";
import { changedPages, compare, type Comparison, kinOf, mostPages } from "./compare.ts";
import {
  glanceAt,
  lookAt,
  type LookCache,
  makeLookCache,
  type Unlooked,
  unlookedAt,
} from "./look.ts";
import { makeSiteCaches, openSite, type Site, type SiteCaches } from "vitrine-qa/src/site/site.ts";

/** A build to be looked at beside the live site. */
export interface Inspection {
  artifactDir: string;
  /** Null before the first release. */
  liveDir: string | null;
  baseUrl?: string | undefined;
  /** Pages that made a look hang before: told as not checked. */
  skip: readonly string[];
  /** From then on, in ms of `threadTime`, pages are only glanced at, for whether they are blank. */
  until: number;
}

/** What is kept from one inspection to the next. */
export interface InspectionCaches {
  sites: SiteCaches;
  looks: LookCache;
}

/** Caches for one thread: as yet empty. */
export function makeInspectionCaches(): InspectionCaches {
  return { sites: makeSiteCaches(), looks: makeLookCache() };
}

export interface Inspected {
  report: BuildReport;
  /** Checks that failed themselves, at most 20. */
  failures: string[];
}

export interface Watch {
  signal: AbortSignal;
  /** The time, in ms, that `until` is of. */
  now(): number;
  /** Is told each page before it is looked at. */
  onPage(path: string): void;
}

async function* paused(paths: Iterable<string>, { signal, onPage }: Watch): AsyncGenerator<string> {
  for (const path of paths) {
    await setImmediate();
    signal.throwIfAborted();
    onPage(path);
    yield path;
  }
}

/** Findings of live pages like the new ones: what the new ones share with them is nothing new. */
async function baselineOf(
  { skip, until }: Inspection,
  pages: readonly Comparison[],
  live: Site,
  looks: LookCache,
  watch: Watch,
): Promise<Finding[]> {
  const fresh = pages.filter((page) => page.live === null).map(({ path }) => path);
  const kin = new Set(fresh.flatMap((path) => kinOf(path, live)).slice(0, 10));
  const found: Finding[] = [];
  for await (const path of paused(kin, watch)) {
    if (watch.now() >= until) break;
    if (!skip.includes(path)) found.push(...lookAt(live, path, looks).findings);
  }
  return found;
}

/**
 * Looks at the pages that a build changes, one after another with pauses, and says what is different
 * from the live site. Whether a page is blank is told of every one, also where there is no time to
 * look at it with the checks.
 */
export async function inspect(
  job: Inspection,
  { sites, looks }: InspectionCaches,
  watch: Watch,
): Promise<Inspected> {
  const { artifactDir, liveDir, baseUrl, skip, until } = job;
  const open = async (dir: string) =>
    openSite(dir, await readManifest(`${dir}.json`), sites, baseUrl);
  const next = await open(artifactDir);
  const live = liveDir === null ? null : await open(liveDir);
  const pages: Comparison[] = [];
  const unlooked = (path: string): Unlooked | null => {
    if (skip.includes(path)) return "stalled";
    if (watch.now() >= until) return "late";
    return pages.length >= mostPages ? "beyond" : null;
  };
  for await (const path of paused(changedPages(next, live), watch)) {
    const before = live?.pagePaths.includes(path) ? live : null;
    const why = unlooked(path);
    const [look, was] = why
      ? [unlookedAt(next, path, why), glanceAt]
      : [lookAt(next, path, looks), lookAt];
    pages.push({ path, next: look, live: before && was(before, path, looks) });
  }
  const baseline = live ? await baselineOf(job, pages, live, looks, watch) : [];
  const failures = pages.flatMap(({ next: { failures: own } }) => own).slice(0, 20);
  return { report: compare(pages, baseline), failures };
}
