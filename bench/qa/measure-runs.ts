import { readFileSync, writeFileSync } from "node:fs";
import { loadChecks } from "../../packages/qa/src/checks/load.ts";
import { crawlSite } from "../../packages/qa/src/crawl/crawl-site.ts";
import { makeFetcher } from "../../packages/qa/src/crawl/fetcher.ts";
import { runEngine } from "../../packages/qa/src/engine/engine.ts";
import type {
  EngineJob,
  EngineResult,
  SiteCache,
  Observation,
  Progress,
} from "../../packages/qa/src/engine/job.ts";
import { isCheckable, checkPages } from "../../packages/qa/src/engine/page-checks.ts";
import { runSiteChecks } from "../../packages/qa/src/engine/site-checks.ts";
import { makeQaRunState } from "../../packages/qa/src/engine/run-state.ts";
import { probeSite } from "../../packages/qa/src/probe/probe-site.ts";
import { readSeeds } from "../../packages/qa/src/probe/seeds.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import type { MeasureOptions, Outcome } from "./outcome.ts";

await Promise.all([loadChecks("site"), loadChecks("browser")]);

const none: SiteCache = { site: null, resources: [], externals: [] };
const { signal } = new AbortController();
const watch = { signal, progress() {}, countMessages: async () => null };

function jobOf(
  { origin, browserPages }: MeasureOptions,
  known: SiteCache,
  browser: EngineJob["browser"],
): EngineJob {
  return {
    url: `${origin}/`,
    connect: null,
    limits: { ...defaultLimits.qa, browserPages },
    engine: "bench",
    browser,
    external: "none",
    full: false,
    own: null,
    cache: known,
    now: new Date().toISOString(),
  };
}

/** The target of each finding, or its page if it has none. */
const foundBy = (observations: readonly Observation[], { origin }: MeasureOptions): string[] => [
  ...new Set(observations.map(({ target, page }) => (target ?? page).replace(origin, ""))),
];

/** Every check except those in a browser: what a QA run does before it opens one. */
export async function measureStaticChecks(options: MeasureOptions): Promise<Outcome> {
  const job = jobOf(options, none, "auto");
  const { limits, url, now } = job;
  const fetcher = makeFetcher({ origin: options.origin, connect: null, limits, signal });
  const seeds = await readSeeds(fetcher, url);
  const crawled = await crawlSite({
    start: url,
    seeds: seeds.urls,
    fetcher,
    limits,
    cache: none,
    engine: job.engine,
    full: true,
    external: "none",
    now,
    program: false,
    signal,
    onProgress() {},
  });
  const { crawl } = crawled;
  const state = makeQaRunState(job, watch, signal);
  const probes = await probeSite({
    fetcher,
    seeds,
    crawl,
    unchanged: false,
    own: null,
    watch,
    now,
  });
  await runSiteChecks(state, crawl, probes, false);
  const paths = [...crawl.pages.keys()].filter((path) => isCheckable(crawl, path));
  await checkPages(state, crawl, paths, { fallbacks: () => false });
  crawled.close();
  await fetcher.close();
  const skippedChecks = state.skippedChecks.map(({ what, why }) => `${what}: ${why}`);
  return {
    found: foundBy(state.observations.all(), options),
    pages: crawl.pages.size,
    skippedChecks,
  };
}

async function runEngineJob(
  options: MeasureOptions,
  known: SiteCache,
  browser: EngineJob["browser"],
): Promise<{ result: EngineResult; outcome: Outcome }> {
  let browserFrom: number | null = null;
  const progress = ({ step }: Progress) => {
    if (step === "browser") browserFrom ??= performance.now();
  };
  const result = await runEngine(jobOf(options, known, browser), { ...watch, progress });
  const browserMs = browserFrom === null ? 0 : performance.now() - browserFrom;
  const { pages, browserPages } = result.stats;
  const { isUnchanged: unchanged, skippedChecks } = result;
  const found = foundBy(result.observations, options);
  const reported = skippedChecks.map(({ what, why }) => `${what}: ${why}`);
  return {
    result,
    outcome: { found, pages, browserPages, browserMs, unchanged, skippedChecks: reported },
  };
}

/** The state after a QA run in which a browser has opened every page. */
function asVisited({ cache }: EngineResult): SiteCache {
  const resources = cache.resources.map((one) =>
    one.kind === "page" ? { ...one, browserVisited: true } : one,
  );
  return { ...cache, resources };
}

/** A QA run without a browser, including its stand-in checks. */
export async function measureRunWithoutBrowser(options: MeasureOptions): Promise<Outcome> {
  const { result, outcome } = await runEngineJob(options, none, "off");
  writeFileSync(options.file, JSON.stringify(asVisited(result)));
  return outcome;
}

/** The next run over the same site. */
export async function measureUnchangedRun(options: MeasureOptions): Promise<Outcome> {
  const known = JSON.parse(readFileSync(options.file, "utf8")) as SiteCache;
  return (await runEngineJob(options, known, "auto")).outcome;
}

/** A QA run with a browser. */
export async function measureRunWithBrowser(options: MeasureOptions): Promise<Outcome> {
  return (await runEngineJob(options, none, "auto")).outcome;
}
