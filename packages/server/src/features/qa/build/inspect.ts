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

/** A build to compare with the live site. */
export interface Inspection {
  artifactDir: string;
  /** Null before the first release. */
  liveDir: string | null;
  baseUrl?: string | undefined;
  /** Pages that blocked an inspection before: reported as not checked. */
  skip: readonly string[];
  /** After this time (ms of the shared clock), pages are only checked for being blank. */
  until: number;
}

/** Data kept between inspections. */
export interface InspectionCaches {
  sites: ParseCaches;
  inspections: PageInspectionCache;
}

/** Empty caches for one thread. */
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
  /** The clock of `until`, in ms. */
  now(): number;
  /** Called with each page before it is inspected. */
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

/** Findings of live pages similar to the new ones: what they share isn't new. */
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
 * Inspects the pages that a build changes one after another, with pauses, and compares them with
 * the live site. Blank pages are always reported, even if there is no time for the checks.
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
