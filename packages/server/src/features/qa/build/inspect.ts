import { setImmediate } from "node:timers/promises";
import { readManifest } from "../../release/artifact/artifact.ts";
import type { BuildReport } from "../../runs/schema.ts";
import type { Finding } from "vitrine-qa/src/finding.ts";
import { changedPages, compare, type Comparison, relatedPages, maxPages } from "./compare.ts";
import {
  inspectPageBriefly,
  inspectPage,
  type PageInspectionCache,
  makePageInspectionCache,
  type SkipReason,
  inspectPageSkipping,
} from "./inspect-page.ts";
import {
  makeParseCaches,
  openSite,
  type Site,
  type ParseCaches,
} from "vitrine-qa/src/site/site.ts";

/** A build to be looked at beside the live site. */
export interface Inspection {
  artifactDir: string;
  /** Null before the first release. */
  liveDir: string | null;
  baseUrl?: string | undefined;
  /** Pages that made a look hang before: told as not checked. */
  skip: readonly string[];
  /** From then on, in ms of the time that threads share, pages are only glanced at, for whether they are blank. */
  until: number;
}

/** What is kept from one inspection to the next. */
export interface InspectionCaches {
  sites: ParseCaches;
  inspections: PageInspectionCache;
}

/** Caches for one thread: as yet empty. */
export function makeInspectionCaches(): InspectionCaches {
  return { sites: makeParseCaches(), inspections: makePageInspectionCache() };
}

export interface InspectionResult {
  report: BuildReport;
  /** Checks that failed themselves, at most 20. */
  failures: string[];
}

export interface InspectionHooks {
  signal: AbortSignal;
  /** The time, in ms, that `until` is of. */
  now(): number;
  /** Is told each page before it is looked at. */
  onPage(path: string): void;
}

async function* paused(
  paths: Iterable<string>,
  { signal, onPage }: InspectionHooks,
): AsyncGenerator<string> {
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
  inspections: PageInspectionCache,
  watch: InspectionHooks,
): Promise<Finding[]> {
  const fresh = pages.filter((page) => page.live === null).map(({ path }) => path);
  const kin = new Set(fresh.flatMap((path) => relatedPages(path, live)).slice(0, 10));
  const found: Finding[] = [];
  for await (const path of paused(kin, watch)) {
    if (watch.now() >= until) break;
    if (!skip.includes(path)) found.push(...inspectPage(live, path, inspections).findings);
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
  { sites, inspections }: InspectionCaches,
  watch: InspectionHooks,
): Promise<InspectionResult> {
  const { artifactDir, liveDir, baseUrl, skip, until } = job;
  const open = async (dir: string) =>
    openSite(dir, await readManifest(`${dir}.json`), sites, baseUrl);
  const next = await open(artifactDir);
  const live = liveDir === null ? null : await open(liveDir);
  const pages: Comparison[] = [];
  const skipped = (path: string): SkipReason | null => {
    if (skip.includes(path)) return "stalled";
    if (watch.now() >= until) return "late";
    return pages.length >= maxPages ? "beyond" : null;
  };
  for await (const path of paused(changedPages(next, live), watch)) {
    const before = live?.pagePaths.includes(path) ? live : null;
    const why = skipped(path);
    const [pageInspection, was] = why
      ? [inspectPageSkipping(next, path, why), inspectPageBriefly]
      : [inspectPage(next, path, inspections), inspectPage];
    pages.push({ path, next: pageInspection, live: before && was(before, path, inspections) });
  }
  const baseline = live ? await baselineOf(job, pages, live, inspections, watch) : [];
  const failures = pages.flatMap(({ next: { failures: own } }) => own).slice(0, 20);
  return { report: compare(pages, baseline), failures };
}
