import { isBusy } from "../browser/vitals.ts";
import type { SiteCheck } from "../check.ts";
import { loadChecks } from "../checks/load.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { Probes } from "../probe/probes.ts";
import type { QaRunState } from "./run-state.ts";

/** What is tried in every run, whatever has changed: others' sites and the own doors. */
function alwaysRuns({ scope, category }: SiteCheck): boolean {
  return scope === "external" || category === "health";
}

/** What tells how long answers take: on a machine that has too much else to do nothing is told. */
const timed = new Set(["perf.slow-ttfb", "health.latency"]);

/**
 * Looks at the site as a whole. Of one that has not changed only that is looked at which may change
 * all the same; gives the checks that were left out.
 */
export async function runSiteChecks(
  state: QaRunState,
  crawl: Crawl,
  probes: Probes,
  unchanged: boolean,
): Promise<string[]> {
  const { job } = state;
  const checks = await loadChecks("site");
  const unchangedChecks: string[] = [];
  for (const check of checks) {
    state.signal.throwIfAborted();
    if (unchanged && !alwaysRuns(check)) unchangedChecks.push(check.id);
    else if (timed.has(check.id) && isBusy()) unchangedChecks.push(check.id);
    else if (check.scope === "external" && job.external === "none") unchangedChecks.push(check.id);
    else {
      try {
        for (const seen of check.run(crawl, probes)) {
          state.addReport(check, seen.page, seen, { scope: check.scope, engine: job.engine });
        }
      } catch (error) {
        state.addFailure(check.id, error, job.url);
      }
    }
  }
  return unchangedChecks;
}
