import { isBusy } from "../browser/vitals.ts";
import type { SiteCheck } from "../check.ts";
import { loadChecks } from "../checks/load.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { Probes } from "../probe/probes.ts";
import type { QaRunState } from "./run-state.ts";

/**
 * What runs every time, whether or not the site has changed: external links and private addresses.
 */
function alwaysRuns({ scope, category }: SiteCheck): boolean {
  return scope === "external" || category === "health";
}

/** Checks that measure response times: on an overloaded machine they report nothing. */
const timed = new Set(["perf.slow-ttfb", "health.latency"]);

/**
 * Runs the site checks. For an unchanged site, only those whose result may still change; returns
 * the checks that were left out.
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
