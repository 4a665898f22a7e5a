import { setImmediate } from "node:timers/promises";
import { readManifest } from "../release/artifact/artifact.ts";
import type { BuildReport } from "../runs/schema.ts";
import type { Finding } from "./check.ts";
import { changedPages, compare, type Comparison, kinOf } from "./compare.ts";
import { type LookCache, lookAt, makeLookCache, stalledLook } from "./look.ts";
import { makeSiteCaches, openSite, type Site, type SiteCaches } from "./site/site.ts";

/** A build to be looked at beside the live site. */
export interface Inspection {
  artifactDir: string;
  /** Null before the first release. */
  liveDir: string | null;
  baseUrl?: string | undefined;
  /** Pages that made a look hang before: told as not checked. */
  skip: readonly string[];
}

/** What is kept from one inspection to the next. */
export interface InspectionCaches {
  sites: SiteCaches;
  looks: LookCache;
}

export function makeInspectionCaches(): InspectionCaches {
  return { sites: makeSiteCaches(), looks: makeLookCache() };
}

export interface Inspected {
  report: BuildReport;
  /** Checks that failed themselves, at most 20. */
  failures: string[];
}

/** Findings of live pages like the new ones: what the new ones share with them is nothing new. */
function baselineOf(pages: readonly Comparison[], live: Site, looks: LookCache): Finding[] {
  const fresh = pages.filter((page) => page.live === null).map(({ path }) => path);
  const kin = new Set(fresh.flatMap((path) => kinOf(path, live)).slice(0, 10));
  return [...kin].flatMap((path) => lookAt(live, path, looks).findings.slice());
}

/**
 * Looks at the pages that a build changes, one after another with pauses, and says what is different
 * from the live site. `onPage` is told each page before it is looked at.
 */
export async function inspect(
  { artifactDir, liveDir, baseUrl, skip }: Inspection,
  { sites, looks }: InspectionCaches,
  { signal, onPage }: { signal: AbortSignal; onPage(path: string): void },
): Promise<Inspected> {
  const open = async (dir: string) =>
    openSite(dir, await readManifest(`${dir}.json`), sites, baseUrl);
  const next = await open(artifactDir);
  const live = liveDir === null ? null : await open(liveDir);
  const pages: Comparison[] = [];
  for (const path of changedPages(next, live)) {
    await setImmediate();
    signal.throwIfAborted();
    onPage(path);
    if (skip.includes(path)) {
      pages.push({ path, next: stalledLook(next, path), live: null });
      continue;
    }
    const there = live?.pagePaths.includes(path) === true;
    const before = there && live ? lookAt(live, path, looks) : null;
    pages.push({ path, next: lookAt(next, path, looks), live: before });
  }
  const baseline = live ? baselineOf(pages, live, looks) : [];
  const failures = pages.flatMap(({ next: { failures: own } }) => own).slice(0, 20);
  return { report: compare(pages, baseline), failures };
}
