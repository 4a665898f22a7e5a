import { findPackageJSON } from "node:module";
import { readFileSync } from "node:fs";
import { titleOf } from "./checks/catalog.ts";
import type { Engine, EngineJob, Observation, Progress, Screenshot } from "./engine/job.ts";
import { QaError } from "./errors.ts";
import { defaultQaLimits, type QaLimits } from "./limits.ts";
import type { QaReport, ReportFinding } from "./report/report.ts";

/** Options for checking a site, with their defaults. */
export interface QaOptions {
  /** Whether pages are opened in Chromium, if the system has it. Default: true. */
  browser?: boolean;
  /** Which links to other sites are checked. Default: `all`. */
  external?: "all" | "none";
  /**
   * Whether links and files may lead to addresses that aren't public, such as another server on this
   * machine. For sites of your own only: others could have anything in your network requested.
   * Default: false; the site itself may always be private.
   */
  allowPrivate?: boolean;
  /** The maximum number of pages. Default: 5,000, of which 1,000 in a browser. */
  maxPages?: number | null;
  /**
   * Whether screenshots of elements with issues are taken for an HTML report: at most 60 with 4 MB
   * together. Default: false.
   */
  screenshots?: boolean;
  /** Limits that differ from the default ones. */
  limits?: Partial<QaLimits>;
  /** Aborts the run, which throws its reason. */
  signal?: AbortSignal;
  /** Called often, with the progress of the run. */
  onProgress?: (progress: Progress) => void;
}

/** What a run needs besides the network. */
export interface QaDependencies {
  engine: Engine;
  /** The wall clock, in ms. */
  now(): number;
  /** The program named in the report. */
  tool: { name: string; version: string };
}

function jobOf(url: string, options: QaOptions, now: string, engine: string): EngineJob {
  const { browser = true, external = "all", allowPrivate = false, maxPages } = options;
  const limits = { ...defaultQaLimits, ...options.limits };
  const pages = maxPages ?? limits.pages;
  return {
    engine,
    url,
    connect: null,
    limits: { ...limits, pages, browserPages: Math.min(pages, limits.browserPages) },
    browser: browser ? "auto" : "off",
    external,
    allowPrivate,
    screenshots: options.screenshots ?? false,
    full: true,
    // Other people's sites are only read: nothing is ever posted to them.
    own: null,
    cache: { site: null, resources: [], externals: [] },
    now,
  };
}

/** The screenshot of the first place of a finding that has one. */
function screenshotOf(
  { occurrences, scope }: Observation,
  screenshots: ReadonlyMap<string, Screenshot>,
): ReportFinding["screenshot"] {
  if (scope !== "browser") return undefined;
  const found = occurrences.flatMap(
    ({ page, selector }) => screenshots.get(`${page}\n${selector}`) ?? [],
  );
  return found[0];
}

function findingOf(
  observation: Observation,
  screenshots: ReadonlyMap<string, Screenshot>,
): ReportFinding {
  const screenshot = screenshotOf(observation, screenshots);
  return {
    fingerprint: observation.fingerprint,
    ...(observation.formerly && { formerly: observation.formerly }),
    check: observation.check,
    title: titleOf(observation.check),
    category: observation.category,
    scope: observation.scope,
    severity: observation.severity,
    critical: observation.critical,
    confidence: observation.confidence,
    engine: observation.engine,
    pageUrl: observation.page,
    target: observation.target,
    message: observation.message,
    evidence: { ...observation.evidence },
    occurrences: observation.occurrences,
    occurrenceCount: observation.occurrenceCount,
    pageCount: observation.pageCount,
    isSafe: observation.isSafe,
    ...(screenshot && { screenshot }),
  };
}

/** `runQa` with the caller's engine, clock, and name. */
export async function runQaWith(
  deps: QaDependencies,
  url: string,
  options: QaOptions = {},
): Promise<QaReport> {
  const { engine, tool } = deps;
  const at = new Date(deps.now()).toISOString();
  const job = jobOf(url, options, at, `${tool.name.toLowerCase()} ${tool.version}`);
  const result = await engine(job, {
    signal: options.signal ?? new AbortController().signal,
    progress: (progress) => options.onProgress?.(progress),
    countMessages: async () => null,
  });
  const skippedChecks = result.skippedChecks.map(({ what, why }) => ({ what, why }));
  if (result.visited.length === 0 && result.observations.length === 0) {
    const message = "Couldn't check anything at that address.";
    throw new QaError("upstream_failed", message, { details: { skippedChecks } });
  }
  const { stats, isComplete, observations } = result;
  const screenshots = new Map(
    (result.screenshots ?? []).map((one) => [`${one.page}\n${one.selector}`, one] as const),
  );
  return {
    site: url,
    at,
    tool,
    stats,
    isComplete,
    skippedChecks,
    baselineCount: 0,
    findings: observations.map((observation) => findingOf(observation, screenshots)),
  };
}

/** The version of this package. */
export function packageVersion(): string {
  const file = findPackageJSON("..", import.meta.url) ?? "";
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** The engine in this process, loaded on first use because it has many dependencies. */
export const engineInProcess: Engine = async (job, watch) => {
  const { runEngine } = await import("./engine/engine.ts");
  return runEngine(job, watch);
};

/**
 * Checks a site: crawls it, checks every page's markup, the site as a whole and its links to other
 * sites, and opens its pages in Chromium where the system has it. Only reads: posts nothing, and
 * connects to no private address but the site's own, unless
 * `allowPrivate` is set.
 *
 * ```ts
 * const report = await runQa("https://example.com/", { browser: false });
 * for (const { severity, pageUrl, message } of report.findings) console.log(severity, pageUrl, message);
 * ```
 *
 * @param url where the site begins: http or https
 * @throws QaError `upstream_failed` when the run takes longer than its limits allow, or nothing at all
 *   could be checked; the signal's reason when it is aborted
 */
export function runQa(url: string, options: QaOptions = {}): Promise<QaReport> {
  const tool = { name: "vitrine-qa", version: packageVersion() };
  return runQaWith({ engine: engineInProcess, now: Date.now, tool }, url, options);
}
