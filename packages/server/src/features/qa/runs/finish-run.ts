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
  /** How many runs are kept. */
  keep: number;
  external?: ExternalProgram | null;
}

/** What a program has found is told in plain sentences at once: no runner comes after it. */
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
 * Ends a run under way with what it came to, in one transaction: findings, what is known of the site,
 * the run, what is said of it where a program made it, and which older runs are kept. Null, and nothing changed, when it runs no more.
 */
export async function finishRun(db: Db, options: FinishOptions): Promise<ReconcileResult | null> {
  const { runId, result, at, keep, external = null } = options;
  return db.transaction().execute(async (trx) => {
    // Holds the run's row: whoever wants to abort it waits, and finds it ended.
    if ((await updateRunProgress(trx, runId, null)) === null) return null;
    // A site of which nothing could be read is in trouble: nothing of it is gone for that.
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
