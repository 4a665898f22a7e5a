import {
  type BrowserPage,
  browserEngines,
  runBrowser,
  startBrowser,
  type StartedBrowser,
} from "../browser/run-browser.ts";
import { findChromium } from "../browser/find-chromium.ts";
import type { Visit } from "../browser/visit.ts";
import type { PageReport } from "../check.ts";
import { reportedByMarkup } from "../checks/browser/a11y-axe.ts";
import type { RenderedPage } from "../checks/needs-script.ts";
import { loadChecks } from "../checks/load.ts";
import { pathNameOf } from "../crawl/addresses.ts";
import type { CrawlResult } from "../crawl/crawl-site.ts";
import type { Crawl } from "../crawl/crawl.ts";
import { browserKeys } from "./browser-key.ts";
import type { EngineJob, CachedResource, Screenshot } from "./job.ts";
import { isCheckable } from "./page-checks.ts";
import type { QaRunState } from "./run-state.ts";

/** The pages to open in a browser in a QA run. */
export interface BrowserPlan {
  visit: BrowserPage[];
  /** Paths of pages whose rendering can't have changed since a browser last opened them. */
  unchanged: string[];
  /** The results of that visit, by path. */
  rendered: ReadonlyMap<string, RenderedPage>;
  /** The browser key of each page, by path. */
  keys: ReadonlyMap<string, string>;
}

/** The path of an own address, named as the site's pages are. */
export const pathOf = (url: string): string => pathNameOf(new URL(url));

const isPage = ({ kind, status }: CachedResource) => kind === "page" && status === 200;

/** What pages showed when a browser last opened them, by path. */
const renderedBefore = ({ cache }: EngineJob): ReadonlyMap<string, RenderedPage> =>
  new Map(
    cache.resources.flatMap(({ url, browserVisited, rendered: shown }) =>
      browserVisited && shown ? [[pathOf(url), shown] as const] : [],
    ),
  );

/** For an unchanged site: only pages that no browser has seen in this state. */
function planUnchanged({ job }: QaRunState): BrowserPlan {
  const pages = job.cache.resources.filter(isPage);
  const left = pages.filter(({ browserVisited }) => !browserVisited);
  return {
    visit: left.map(({ url }) => ({ path: pathOf(url), url, html: () => undefined })),
    unchanged: pages.filter(({ browserVisited }) => browserVisited).map(({ url }) => pathOf(url)),
    rendered: renderedBefore(job),
    keys: new Map(pages.map(({ url, browserKey }) => [pathOf(url), browserKey ?? ""])),
  };
}

function planChanged({ job }: QaRunState, crawl: Crawl): BrowserPlan {
  const keys = browserKeys(crawl, `${job.engine} ${browserEngines()}`);
  const seen = job.cache.resources.filter(({ browserVisited }) => browserVisited);
  const before = new Map(seen.map(({ url, browserKey }) => [pathOf(url), browserKey]));
  const paths = [...crawl.pages.keys()].filter((path) => isCheckable(crawl, path));
  const shown = renderedBefore(job);
  // If not all scripts ran, their result is unknown: a full run tries again.
  const isTriedAgain = job.full && findChromium() !== null;
  const isKept = (path: string) =>
    before.get(path) === keys.get(path) && (shown.has(path) || !isTriedAgain);
  return {
    visit: paths
      .filter((path) => !isKept(path))
      .map((path) => {
        const url = crawl.pages.get(path)?.url ?? "";
        return { path, url, html: () => crawl.text(url) };
      }),
    unchanged: paths.filter(isKept),
    rendered: shown,
    keys,
  };
}

/** Chooses the pages to open in a browser, within the limits. */
export function planBrowser(state: QaRunState, { crawl, unchanged }: CrawlResult): BrowserPlan {
  const { job } = state;
  if (job.browser === "off") {
    return { visit: [], unchanged: [], keys: new Map(), rendered: new Map() };
  }
  const plan = unchanged ? planUnchanged(state) : planChanged(state, crawl);
  const { browserPages } = job.limits;
  if (plan.visit.length > browserPages) {
    const beyond = plan.visit.length - browserPages;
    state.skippedChecks.push({
      what: "Browser",
      why: `${beyond} ${beyond === 1 ? "page" : "pages"} beyond the ${browserPages} that one run opens. The next runs open them.`,
    });
  }
  return { ...plan, visit: plan.visit.slice(0, browserPages) };
}

/**
 * Whether the markup checks report the issue; if they didn't run this time, they reported it
 * before.
 */
export function isReportedByMarkup(
  { markup }: Pick<QaRunState, "markup">,
  page: string,
  { evidence }: Pick<PageReport, "evidence">,
): boolean {
  const own = reportedByMarkup[String(evidence?.["rule"] ?? "")];
  const reported = markup.get(page);
  return own !== undefined && (!reported || own.some((check) => reported.has(check)));
}

/** A slow page isn't fixed just because it couldn't be measured this time. */
function noteBusy({ skippedChecks }: QaRunState, page: string): void {
  const checks = ["perf.lcp-cls-tbt"];
  const why = "The machine was too busy to measure page speed.";
  if (!skippedChecks.some((one) => one.why === why))
    skippedChecks.push({ what: page, why, checks });
}

async function noteVisits(state: QaRunState): Promise<(visit: Visit, engine: string) => void> {
  const checks = await loadChecks("browser");
  return (visit, engine) => {
    for (const check of checks) {
      try {
        for (const seen of check.run(visit)) {
          if (isReportedByMarkup(state, visit.page, seen)) continue;
          const whole = { ...seen, page: visit.page };
          state.addReport(check, visit.page, whole, { scope: "browser", engine });
        }
      } catch (error) {
        state.addFailure(check.id, error, visit.page);
      }
    }
    if (visit.paint.busy) noteBusy(state, visit.page);
    // Without a browser, all pages lack the same thing, which is reported once.
    if (visit.a11y.environment === "jsdom") return;
    for (const why of visit.notChecked) state.addUnchecked(visit.page, why);
  };
}

export interface BrowserChecksResult {
  visited: string[];
  /** What pages show after their scripts ran, by path. */
  rendered: ReadonlyMap<string, RenderedPage>;
  screenshots: Screenshot[];
}

type Allow = ((host: string, port: number) => boolean) | undefined;

const startOf = ({ job, signal }: QaRunState, allow: Allow) => ({
  origin: new URL(job.url).origin,
  screenshots: job.screenshots,
  connect: job.connect,
  limits: job.limits,
  signal,
  ...(allow && { allow }),
});

/** Starts a browser for the plan while the crawl continues; null if none is needed. */
export function prepareBrowser(
  state: QaRunState,
  { visit }: BrowserPlan,
  allow: Allow,
): StartedBrowser | null {
  return visit.length === 0 ? null : startBrowser(startOf(state, allow), visit.length);
}

const doneBy = (visits: readonly Visit[]): BrowserChecksResult => ({
  visited: visits.map(({ page }) => page),
  screenshots: visits.flatMap(({ page, crops = [] }) =>
    crops.map((crop) => Object.assign({ page }, crop)),
  ),
  rendered: new Map(
    visits.flatMap(({ page, rendered }) => (rendered ? [[page, rendered] as const] : [])),
  ),
});

/**
 * Opens the planned pages in a browser, for at most `time` ms. Pages that it doesn't get to are
 * reported as not checked.
 */
export async function runBrowserChecks(
  state: QaRunState,
  plan: BrowserPlan,
  options: { time: number; allow: Allow; started: StartedBrowser | null },
): Promise<BrowserChecksResult> {
  const { job } = state;
  if (plan.visit.length === 0) return { visited: [], rendered: new Map(), screenshots: [] };
  const note = await noteVisits(state);
  const visits: Visit[] = [];
  const late = AbortSignal.timeout(Math.max(1, Math.round(options.time)));
  const total = plan.visit.length;
  state.reportProgress("browser", 0, total);
  const engineOf = (visit: Visit) => [job.engine, ...visit.a11y.engines].join(", ");
  try {
    const { skippedChecks } = await runBrowser({
      ...startOf(state, options.allow),
      pages: plan.visit,
      signal: AbortSignal.any([state.signal, late]),
      ...(options.started && { started: options.started }),
      onVisit(visit) {
        visits.push(visit);
        note(visit, engineOf(visit));
        state.reportProgress("browser", visits.length, total, visit.page);
      },
    });
    state.skippedChecks.push(...skippedChecks);
    return doneBy(visits);
  } catch (error) {
    state.signal.throwIfAborted();
    const left = total - visits.length;
    const why = late.aborted ? "no time was left" : String(error).slice(0, 300);
    state.skippedChecks.push({
      what: "Browser",
      why: `${left} of ${total} pages were not opened: ${why}.`,
    });
    return doneBy(visits);
  }
}
