import type { Writable } from "node:stream";
import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import { defaultLimits } from "../../../platform/config.ts";
import { titleOf } from "../checks/catalogue.ts";
import type { Engine, EngineJob, EngineWatch, Observation, Progress } from "../engine/job.ts";
import { oneLine, type Report, type ReportFinding } from "../report/report.ts";

/** What somebody wants looked at who has no instance. */
export interface LookOptions {
  /** Where the site begins: http or https. */
  url: string;
  browser: boolean;
  external: "all" | "none";
  maxPages: number | null;
}

function jobOf(options: LookOptions, now: string, engine: string): EngineJob {
  const { url, browser, external, maxPages } = options;
  const limits = defaultLimits.qa;
  const pages = maxPages ?? limits.pages;
  return {
    engine,
    url,
    connect: null,
    limits: { ...limits, pages, browserPages: Math.min(pages, limits.browserPages) },
    browser: browser ? "auto" : "off",
    external,
    full: true,
    // A site of others is asked, and nothing is ever posted to it.
    own: null,
    known: { site: null, resources: [], externals: [] },
    now,
  };
}

function findingOf(observation: Observation): ReportFinding {
  return {
    fingerprint: observation.fingerprint,
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
    safe: observation.safe,
  };
}

/** Looks at any site and says what is wrong with it. Throws `upstream_failed` when nothing answers. */
export async function lookAtSite(
  deps: { engine: Engine; clock: Clock; version: string },
  options: LookOptions,
  watch: Pick<EngineWatch, "signal" | "progress">,
): Promise<Report> {
  const at = isoTime(deps.clock.now());
  const job = jobOf(options, at, `vitrine ${deps.version}`);
  const result = await deps.engine(job, { ...watch, countMessages: async () => null });
  if (result.visited.length === 0 && result.observations.length === 0) {
    throw new AppError("upstream_failed", "Nothing at that address could be looked at.", {
      details: { notRun: result.notRun.map(({ what, why }) => ({ what, why })) },
    });
  }
  return {
    site: options.url,
    at,
    tool: { name: "Vitrine", version: deps.version },
    stats: result.stats,
    complete: result.complete,
    notRun: result.notRun.map(({ what, why }) => ({ what, why })),
    known: 0,
    findings: result.observations.map(findingOf),
  };
}

const steps: Readonly<Record<Progress["step"], string>> = {
  connecting: "Connecting",
  crawling: "Reading pages",
  checking: "Checking pages",
  external: "Asking other sites",
  browser: "Looking in a browser",
  writing: "Writing down",
};

/** How often a line is written over, and how often another one is added, in ms. */
const everyMs = { terminal: 200, file: 5000 } as const;

/**
 * Tells people how far it is: on a terminal in one line that is written over, else a line for each
 * step, and now and then another.
 */
export function makeProgress(stream: Writable & { isTTY?: boolean }, clock: Clock) {
  const begun = new Set<Progress["step"]>();
  let last = Number.NEGATIVE_INFINITY;
  const terminal = stream.isTTY === true;
  return {
    progress(progress: Progress): void {
      const now = clock.monotonic();
      // Steps go side by side: one that is told again is news only after a while.
      const due = now - last >= everyMs[terminal ? "terminal" : "file"];
      if (begun.has(progress.step) && !due) return;
      begun.add(progress.step);
      last = now;
      const total = progress.total === null ? "" : ` of ${progress.total}`;
      const at = progress.at === null ? "" : `  ${oneLine(progress.at, 60)}`;
      const text = `${steps[progress.step]}: ${progress.done}${total}, ${progress.found} found${at}`;
      stream.write(terminal ? `\r\u001B[K${text}` : `${text}\n`);
    },
    /** Leaves the line free. */
    end(): void {
      if (terminal && begun.size > 0) stream.write("\r\u001B[K");
    },
  };
}
