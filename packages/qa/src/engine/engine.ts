import { createHash } from "node:crypto";
import { QaError } from "../errors.ts";
import { browserEngines } from "../browser/run-browser.ts";
import { type CrawlResult, crawlSite } from "../crawl/crawl-site.ts";
import { type Fetcher, makeFetcher } from "../crawl/fetcher.ts";
import { probeSite } from "../probe/probe-site.ts";
import type { Seeds } from "../probe/probes.ts";
import { readSeeds, seedsKey } from "../probe/seeds.ts";
import {
  type BrowserChecksResult,
  type BrowserPlan,
  runBrowserChecks,
  pathOf,
  planBrowser,
  prepareBrowser,
} from "./browser-checks.ts";
import type { EngineJob, EngineResult, EngineWatch, SiteCache } from "./job.ts";
import { isCheckable, checkPages, resolveDeferredFindings } from "./page-checks.ts";
import { runSiteChecks } from "./site-checks.ts";
import { makeQaRunState, type QaRunState } from "./run-state.ts";

/**
 * The share of a QA run's time that the crawl may take, and the time in ms that is reserved for the
 * end.
 */
const crawlShare = 0.6;
const reserve = 10_000;

export interface EngineOptions {
  /** Hosts that may be reached although they are not public. The site itself always may. */
  allow?: (host: string, port: number) => boolean;
}

/** Identifies the forbidden texts: if they change, nothing counts as unchanged. */
function textsKey({ forbiddenTexts = [] }: EngineJob): string {
  if (forbiddenTexts.length === 0) return "";
  return `, texts ${createHash("sha256").update(forbiddenTexts.join("\0")).digest("hex").slice(0, 16)}`;
}

async function crawl(state: QaRunState, fetcher: Fetcher, seeds: Seeds) {
  const { job, signal } = state;
  return crawlSite({
    start: job.url,
    seeds: seeds.urls,
    fetcher,
    limits: { ...job.limits, seconds: job.limits.seconds * crawlShare },
    cache: job.cache,
    engine: `${job.engine} ${browserEngines()}, site ${seedsKey(seeds)}${textsKey(job)}`,
    full: job.full,
    external: job.external,
    now: job.now,
    program: job.own !== null,
    signal,
    onProgress: (step, done, total, at) => state.reportProgress(step, done, total, at),
  });
}

/** A site that doesn't respond at all is reported once, and none of its findings count as fixed. */
function noteUnreachable(state: QaRunState, { crawl: found }: CrawlResult): boolean {
  const response = found.responses.get(new URL(state.job.url).href);
  if (!response || response.status !== null) return false;
  state.skippedChecks.push({
    what: state.job.url,
    why: `The site can’t be reached: ${response.reason}.`,
  });
  return true;
}

/** Without a network, nothing is known about other sites. */
function noteOutage(state: QaRunState, { unreached }: CrawlResult): void {
  if (unreached === 0) return;
  state.skippedChecks.push({
    what: "Links to other sites",
    why:
      unreached === 1
        ? "The only one tried couldn’t be reached. The network here may be down."
        : `None of the ${unreached} tried could be reached. The network here seems to be down.`,
  });
}

/**
 * The cache for the next run. If postponed pages were opened while nothing was parsed, the next run
 * is a full one, which settles what their markup leaves in doubt.
 */
function nextCache(
  { cache, unchanged }: CrawlResult,
  plan: BrowserPlan,
  done: BrowserChecksResult,
): SiteCache {
  const seen = new Set([...plan.unchanged, ...done.visited]);
  const unchangedPaths = new Set(plan.unchanged);
  return {
    ...cache,
    site: unchanged && done.rendered.size > 0 ? null : cache.site,
    resources: cache.resources.map((resource) => {
      if (resource.kind !== "page") return resource;
      const path = pathOf(resource.url);
      const browserKey = plan.keys.get(path) ?? null;
      const before = unchangedPaths.has(path) ? plan.rendered.get(path) : undefined;
      const shown = done.rendered.get(path) ?? before ?? null;
      return Object.assign(resource, {
        browserKey,
        browserVisited: seen.has(path),
        rendered: shown,
      });
    }),
  };
}

/**
 * Runs the page checks and then the browser; page checks stand in where the browser didn't get to.
 */
async function runAllChecks(
  state: QaRunState,
  crawled: CrawlResult,
  time: () => number,
  { allow }: EngineOptions,
): Promise<{ plan: BrowserPlan; done: BrowserChecksResult }> {
  const { crawl: found, unchanged } = crawled;
  const plan = planBrowser(state, crawled);
  const paths = [...found.pages.keys()].filter((path) => isCheckable(found, path));
  const planned = new Set([...plan.unchanged, ...plan.visit.map(({ path }) => path)]);
  const started = prepareBrowser(state, plan, allow);
  let done: BrowserChecksResult;
  try {
    await checkPages(state, found, paths, { fallbacks: (path) => !planned.has(path) });
    done = await runBrowserChecks(state, plan, { time: time(), allow, started });
  } finally {
    await started?.stop();
  }
  const missed = unchanged
    ? []
    : plan.visit.map(({ path }) => path).filter((path) => !done.visited.includes(path));
  await checkPages(state, found, missed, { fallbacks: () => true, only: true });
  const unchangedPaths = new Set(plan.unchanged);
  resolveDeferredFindings(
    state,
    (path) =>
      done.rendered.get(path) ?? (unchangedPaths.has(path) ? plan.rendered.get(path) : undefined),
  );
  return { plan, done };
}

async function runJob(
  state: QaRunState,
  fetcher: Fetcher,
  watch: EngineWatch,
  options: EngineOptions,
): Promise<EngineResult> {
  const { job, signal } = state;
  const began = performance.now();
  state.reportProgress("connecting", 0, null, job.url);
  const seeds = await readSeeds(fetcher, job.url);
  const crawled = await crawl(state, fetcher, seeds);
  try {
    const { crawl: found, unchanged, visited, uncheckedExternals } = crawled;
    if (job.forbiddenTexts) found.site.forbiddenTexts = job.forbiddenTexts;
    const unreachable = noteUnreachable(state, crawled);
    noteOutage(state, crawled);
    state.reportProgress("checking", 0, found.pages.size);
    const { own, connect, now } = job;
    const probeOptions = { fetcher, seeds, crawl: found, unchanged, own, connect, now };
    const probes = await probeSite({ ...probeOptions, watch: { ...watch, signal } });
    state.skippedChecks.push(...probes.skippedChecks);
    const unchangedChecks = await runSiteChecks(state, found, probes, unchanged);
    const time = () => job.limits.seconds * 1000 - reserve - (performance.now() - began);
    const { plan, done } = await runAllChecks(state, crawled, time, options);
    return {
      observations: state.observations.all(),
      isUnchanged: unchanged,
      visited,
      unchangedBrowserPages: plan.unchanged,
      browserVisited: done.visited,
      uncheckedExternals,
      ...(job.screenshots && { screenshots: done.screenshots }),
      unchangedChecks,
      skippedChecks: state.skippedChecks,
      isComplete: found.complete && !unreachable,
      cache: nextCache(crawled, plan, done),
      stats: {
        pages: visited.length,
        links: unchanged ? job.cache.externals.length : found.references.length,
        browserPages: done.visited.length,
        ms: Math.round(performance.now() - began),
      },
    };
  } finally {
    crawled.close();
  }
}

/**
 * Checks a site: crawls it, runs every check and probe, and opens changed pages in a browser.
 * Writes nothing except the browser's own files. Throws the signal's reason if it is aborted, and
 * `upstream_failed` if it exceeds its time limit.
 */
export async function runEngine(
  job: EngineJob,
  watch: EngineWatch,
  given: EngineOptions = {},
): Promise<EngineResult> {
  const options = job.allowPrivate ? { ...given, allow: () => true } : given;
  const { seconds } = job.limits;
  const late = AbortSignal.timeout(Math.round(seconds * 1000));
  const signal = AbortSignal.any([watch.signal, late]);
  const state = makeQaRunState(job, watch, signal);
  const { origin } = new URL(job.url);
  const { connect, limits } = job;
  const fetcher = makeFetcher({ origin, connect, limits, signal, ...options });
  try {
    return await runJob(state, fetcher, watch, options);
  } catch (error) {
    if (!late.aborted || watch.signal.aborted) throw error;
    const message = `The run took longer than ${seconds} seconds.`;
    throw new QaError("upstream_failed", message, { cause: error });
  } finally {
    await fetcher.close();
  }
}
