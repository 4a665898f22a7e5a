import { QaError } from "../errors.ts";
import { browserEngines } from "../browser/look.ts";
import { type Crawled, crawlSite } from "../crawl/crawl-site.ts";
import { type Fetcher, makeFetcher } from "../crawl/fetcher.ts";
import { probeSite } from "../probe/probe-site.ts";
import type { Seeds } from "../probe/probes.ts";
import { readSeeds, seedsKey } from "../probe/seeds.ts";
import {
  type BrowserDone,
  type BrowserPlan,
  lookWithBrowser,
  pathOf,
  planBrowser,
  readyBrowser,
} from "./browser.ts";
import type { EngineJob, EngineResult, EngineWatch, Known } from "./job.ts";
import { isLookedInto, lookAtPages, settleDoubts } from "./markup.ts";
import { lookAtSite } from "./site.ts";
import { makePassState, type PassState } from "./state.ts";

/** Of a pass's time: how much the crawl may take, and what is kept for the end, in ms. */
const crawlShare = 0.6;
const reserve = 10_000;

export interface EngineOptions {
  /** Hosts that may be reached although they are not public. The site itself always may. */
  allow?: (host: string, port: number) => boolean;
}

async function crawl(state: PassState, fetcher: Fetcher, seeds: Seeds) {
  const { job, signal } = state;
  return crawlSite({
    start: job.url,
    seeds: seeds.urls,
    fetcher,
    limits: { ...job.limits, seconds: job.limits.seconds * crawlShare },
    known: job.known,
    engine: `${job.engine} ${browserEngines()}, site ${seedsKey(seeds)}`,
    full: job.full,
    external: job.external,
    now: job.now,
    program: job.own !== null,
    signal,
    onProgress: (step, done, total, at) => state.report(step, done, total, at),
  });
}

/** A site that does not answer at all is told once, and nothing of it counts as gone. */
function noteUnreachable(state: PassState, { crawl: found }: Crawled): boolean {
  const answer = found.answers.get(new URL(state.job.url).href);
  if (!answer || answer.status !== null) return false;
  state.notRun.push({ what: state.job.url, why: `The site can’t be reached: ${answer.reason}.` });
  return true;
}

/** Without a network nothing can be said of others' sites. */
function noteOutage(state: PassState, { unreached }: Crawled): void {
  if (unreached === 0) return;
  state.notRun.push({
    what: "Links to other sites",
    why:
      unreached === 1
        ? "The one that was asked could not be reached: it may be the network here."
        : `None of the ${unreached} that were asked could be reached: it seems to be the network here.`,
  });
}

/**
 * What the next pass begins with. Pages that were left for later and opened while nothing was read make
 * the next pass a whole one: what their markup leaves in doubt is settled then.
 */
function knownAfter({ known, unchanged }: Crawled, plan: BrowserPlan, done: BrowserDone): Known {
  const seen = new Set([...plan.kept, ...done.visited]);
  const kept = new Set(plan.kept);
  return {
    ...known,
    site: unchanged && done.shown.size > 0 ? null : known.site,
    resources: known.resources.map((resource) => {
      if (resource.kind !== "page") return resource;
      const path = pathOf(resource.url);
      const browserKey = plan.keys.get(path) ?? null;
      const before = kept.has(path) ? plan.shown.get(path) : undefined;
      const shown = done.shown.get(path) ?? before ?? null;
      return Object.assign(resource, { browserKey, browserSeen: seen.has(path), shown });
    }),
  };
}

/** The checks of pages and then the browser; the former stand in where the latter did not come. */
async function lookAtAll(
  state: PassState,
  crawled: Crawled,
  time: () => number,
  { allow }: EngineOptions,
): Promise<{ plan: BrowserPlan; done: BrowserDone }> {
  const { crawl: found, unchanged } = crawled;
  const plan = planBrowser(state, crawled);
  const paths = [...found.pages.keys()].filter((path) => isLookedInto(found, path));
  const planned = new Set([...plan.kept, ...plan.visit.map(({ path }) => path)]);
  const started = readyBrowser(state, plan, allow);
  let done: BrowserDone;
  try {
    await lookAtPages(state, found, paths, { standIns: (path) => !planned.has(path) });
    done = await lookWithBrowser(state, plan, { time: time(), allow, started });
  } finally {
    await started?.stop();
  }
  const missed = unchanged
    ? []
    : plan.visit.map(({ path }) => path).filter((path) => !done.visited.includes(path));
  await lookAtPages(state, found, missed, { standIns: () => true, only: true });
  const kept = new Set(plan.kept);
  settleDoubts(
    state,
    (path) => done.shown.get(path) ?? (kept.has(path) ? plan.shown.get(path) : undefined),
  );
  return { plan, done };
}

async function look(
  state: PassState,
  fetcher: Fetcher,
  watch: EngineWatch,
  options: EngineOptions,
): Promise<EngineResult> {
  const { job, signal } = state;
  const began = performance.now();
  state.report("connecting", 0, null, job.url);
  const seeds = await readSeeds(fetcher, job.url);
  const crawled = await crawl(state, fetcher, seeds);
  try {
    const { crawl: found, unchanged, visited, externalKept } = crawled;
    const unreachable = noteUnreachable(state, crawled);
    noteOutage(state, crawled);
    state.report("checking", 0, found.pages.size);
    const { own, connect, now } = job;
    const asked = { fetcher, seeds, crawl: found, unchanged, own, connect, now };
    const probes = await probeSite({ ...asked, watch: { ...watch, signal } });
    state.notRun.push(...probes.notRun);
    const keptChecks = await lookAtSite(state, found, probes, unchanged);
    const time = () => job.limits.seconds * 1000 - reserve - (performance.now() - began);
    const { plan, done } = await lookAtAll(state, crawled, time, options);
    return {
      observations: state.observations.all(),
      unchanged,
      visited,
      browserKept: plan.kept,
      browserVisited: done.visited,
      externalKept,
      keptChecks,
      notRun: state.notRun,
      complete: found.complete && !unreachable,
      known: knownAfter(crawled, plan, done),
      stats: {
        pages: visited.length,
        links: unchanged ? job.known.externals.length : found.references.length,
        browserPages: done.visited.length,
        ms: Math.round(performance.now() - began),
      },
    };
  } finally {
    crawled.close();
  }
}

/**
 * Looks at a site: crawls it, makes every check, tries its doors, opens what has changed in a
 * browser. Writes nothing but what the browser keeps of itself. Throws the signal's reason when it
 * is aborted and `upstream_failed` when it takes longer than the limits say.
 */
export async function runEngine(
  job: EngineJob,
  watch: EngineWatch,
  options: EngineOptions = {},
): Promise<EngineResult> {
  const { seconds } = job.limits;
  const late = AbortSignal.timeout(Math.round(seconds * 1000));
  const signal = AbortSignal.any([watch.signal, late]);
  const state = makePassState(job, watch, signal);
  const { origin } = new URL(job.url);
  const { connect, limits } = job;
  const fetcher = makeFetcher({ origin, connect, limits, signal, ...options });
  try {
    return await look(state, fetcher, watch, options);
  } catch (error) {
    if (!late.aborted || watch.signal.aborted) throw error;
    const message = `The pass took longer than ${seconds} seconds.`;
    throw new QaError("upstream_failed", message, { cause: error });
  } finally {
    await fetcher.close();
  }
}
