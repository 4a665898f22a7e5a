import type { Db } from "../../../platform/db/connect.ts";
import type { EngineResult } from "vitrine-qa/src/engine/job.ts";
import type { ExternalProgram } from "../findings/coverage.ts";
import { listFindingGroups } from "../findings/list-store.ts";
import { reconcile } from "../findings/reconcile.ts";
import type { ReconcileResult } from "../findings/reconcile-store.ts";
import { writeSiteCache } from "./site-cache.ts";
import { endRun, findRun, deleteOldRuns, updateRunProgress, writeSummary } from "./store.ts";
import { plainSummary } from "./format-summary.ts";

export interface FinishOptions {
  runId: number;
  result: EngineResult;
  /** ISO 8601. */
  at: string;
  /** The number of stored runs. */
  keep: number;
  external?: ExternalProgram | null;
}

/** An external program's result is summarized immediately, because no runner does it. */
async function summarizeExternalRun(
  trx: Db,
  runId: number,
  { counts }: ReconcileResult,
): Promise<void> {
  const run = await findRun(trx, runId);
  if (!run) return;
  const groups = await listFindingGroups(trx, { status: ["open"] });
  const summary = plainSummary({ run, counts, skippedChecks: [], groups });
  await writeSummary(trx, runId, { summary, by: "plain" });
}

/**
 * Completes a running QA run with its result, in one transaction: findings, cached site data, the
 * run, the summary of an external run, and the deletion of old runs. Returns null and changes
 * nothing if it is no longer running.
 */
export async function finishRun(db: Db, options: FinishOptions): Promise<ReconcileResult | null> {
  const { runId, result, at, keep, external = null } = options;
  return db.transaction().execute(async (trx) => {
    // Locks the run's row: whoever wants to abort it waits and finds it ended.
    if ((await updateRunProgress(trx, runId, null)) === null) return null;
    // If nothing of the site could be read, it is down, and nothing counts as gone.
    const isComplete = result.isComplete && (external !== null || result.visited.length > 0);
    const seen = { ...result, isComplete };
    const { removedPages } = external ? { removedPages: [] } : await writeSiteCache(trx, seen);
    const summary = await reconcile(trx, { runId, result: seen, at, removedPages, external });
    const { stats, skippedChecks, isUnchanged } = result;
    await endRun(trx, runId, {
      status: "finished",
      set: {
        pages: stats.pages,
        links: stats.links,
        browser_pages: stats.browserPages,
        is_unchanged: isUnchanged ? 1 : 0,
        counts: JSON.stringify(summary.counts),
        new_findings: summary.newFindings,
        fixed_findings: summary.fixedFindings,
        reopened_findings: summary.reopenedFindings,
        skipped_checks: JSON.stringify(skippedChecks.map(({ what, why }) => ({ what, why }))),
      },
    });
    if (external) await summarizeExternalRun(trx, runId, summary);
    await deleteOldRuns(trx, keep);
    return summary;
  });
}
