import { type CheckKind, type SiteReport, toFinding } from "../check.ts";
import type { Finding, Scope } from "../finding.ts";
import type { EngineJob, EngineResult, EngineWatch, Step } from "./job.ts";
import { makeObservations, type Observations } from "./observations.ts";

/** The shared state of one run. */
export interface QaRunState {
  job: EngineJob;
  observations: Observations;
  skippedChecks: EngineResult["skippedChecks"];
  signal: AbortSignal;
  /**
   * The markup checks that reported something, by page; pages whose markup wasn't parsed are
   * missing.
   */
  markup: Map<string, Set<string>>;
  /** Findings that scripts may have changed: settled after the browser has opened the page. */
  deferredFindings: Finding[];
  /** Reports the progress. */
  reportProgress(step: Step, done: number, total: number | null, at?: string | null): void;
  /** Records what a check found on a page. */
  addReport(
    check: CheckKind,
    page: string,
    seen: SiteReport,
    source: { scope: Scope; engine: string },
  ): void;
  /**
   * Records what could not be checked on a page; pages with the same reason are reported as one.
   */
  addUnchecked(page: string, why: string): void;
  /** Records that a check failed: its findings don't count as fixed. */
  addFailure(check: string, error: unknown, at: string): void;
}

interface Failure {
  count: number;
  first: string;
}

/** The state at the start of a run: nothing found, nothing skipped. */
export function makeQaRunState(
  job: EngineJob,
  watch: EngineWatch,
  signal: AbortSignal,
): QaRunState {
  const observations = makeObservations();
  const failures = new Map<string, Failure>();
  const unchecked = new Map<string, string[]>();
  const skippedChecks: EngineResult["skippedChecks"] = [];
  const describeStepFailure = ({ count, first }: Failure) =>
    `The check failed ${count === 1 ? "once" : `${count} times`}: ${first}.`;
  return {
    job,
    observations,
    skippedChecks,
    signal,
    markup: new Map(),
    deferredFindings: [],
    reportProgress(step, done, total, at = null) {
      watch.progress({ step, done, total, at, findings: observations.count });
    },
    addReport(check, page, seen, source) {
      observations.add(toFinding(check, page, seen), source, seen.otherLocations);
    },
    addUnchecked(page, why) {
      const pages = unchecked.get(why) ?? [];
      unchecked.set(why, pages);
      pages.push(page);
      const [first = page, second, third] = pages;
      const shown = [first, second, third].filter((one) => one !== undefined).join(", ");
      const what = pages.length > 3 ? `${shown} and ${pages.length - 3} more` : shown;
      const reported = skippedChecks.find((entry) => entry.why === why);
      if (reported) reported.what = what;
      else skippedChecks.push({ what, why });
    },
    addFailure(check, error, at) {
      const known = failures.get(check);
      if (known) known.count++;
      const failure = known ?? { count: 1, first: `${String(error)}, at ${at}`.slice(0, 300) };
      failures.set(check, failure);
      const reported = skippedChecks.find(({ checks }) => checks?.[0] === check);
      if (reported) reported.why = describeStepFailure(failure);
      else skippedChecks.push({ what: check, why: describeStepFailure(failure), checks: [check] });
    },
  };
}
