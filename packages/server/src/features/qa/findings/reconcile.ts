import type { Db } from "../../../platform/db/connect.ts";
import type { EngineResult } from "vitrine-qa/src/engine/job.ts";
import { makeCoverage, type ExternalProgram } from "./coverage.ts";
import { pageKey } from "./finding-content.ts";
import { applyIgnoreRules, endExpiredIgnores } from "./ignore-store.ts";
import { makePlan, type Plan, type PlanOptions } from "./plan.ts";
import {
  listFindingsByFingerprint,
  insertFindings,
  lockFindings,
  markFindings,
  markFixed,
  listPublishedBefore,
  type ReconcileResult,
  replaceFindings,
  listUnfixedFindings,
  summarizeRun,
  touchFindings,
  touchUnchanged,
} from "./reconcile-store.ts";

export interface ReconcileOptions {
  runId: number;
  result: Omit<EngineResult, "cache" | "stats">;
  /** ISO 8601. */
  at: string;
  /** Pages that are no longer part of the site; see runs/site-cache.ts. */
  removedPages?: readonly string[];
  /** The external program that reported the result, which covers only its own findings. */
  external?: ExternalProgram | null;
}

/** The findings that the run may change, and those it has seen again after they were fixed. */
async function rowsFor(
  trx: Db,
  { result, external }: ReconcileOptions,
  { isUnchanged }: { isUnchanged: boolean },
): Promise<PlanOptions["rows"]> {
  const unresolved = await listUnfixedFindings(trx, {
    reporter: external?.name ?? null,
    isUnchanged,
  });
  const met = new Set(unresolved.map(({ fingerprint }) => fingerprint));
  const others = result.observations.map(({ fingerprint }) => fingerprint);
  const missing = [...new Set(others)].filter((fingerprint) => !met.has(fingerprint));
  return [...unresolved, ...(await listFindingsByFingerprint(trx, missing))];
}

async function write(trx: Db, plan: Plan, stamp: { runId: number; at: string }): Promise<void> {
  await insertFindings(trx, plan.insert);
  await replaceFindings(trx, plan.replace);
  await touchFindings(trx, plan.touch, stamp);
  await markFixed(trx, plan.fix, { at: stamp.at, ignored: false });
  await markFixed(trx, plan.goneIgnored, { at: stamp.at, ignored: true });
}

/**
 * Merges a QA run's result into the existing findings: new, seen, fixed, and reappeared ones. Ends
 * expired ignoring and applies rules. Call in the transaction that ends the run.
 */
export async function reconcile(trx: Db, options: ReconcileOptions): Promise<ReconcileResult> {
  const { runId, result, at, removedPages = [], external = null } = options;
  await lockFindings(trx);
  await endExpiredIgnores(trx, at);
  // Then, everything that depends on the site's pages is updated at once.
  const alike = result.isUnchanged && removedPages.length === 0 && external === null;
  const rows = await rowsFor(trx, options, { isUnchanged: alike });
  const taskIds = rows.flatMap(({ status, task_id }) =>
    status === "queued" && task_id !== null ? [task_id] : [],
  );
  const keyed = {
    ...result,
    visited: result.visited.map(pageKey),
    browserVisited: result.browserVisited.map(pageKey),
    unchangedBrowserPages: result.unchangedBrowserPages.map(pageKey),
  };
  const plan = makePlan({
    runId,
    at,
    rows,
    observations: result.observations,
    coverage: makeCoverage({
      result: keyed,
      removedPages: new Set(removedPages.map(pageKey)),
      external,
    }),
    reporter: external?.name ?? null,
    published: await listPublishedBefore(trx, runId, taskIds),
  });
  await write(trx, plan, { runId, at });
  if (alike) await touchUnchanged(trx, { runId, at });
  await applyIgnoreRules(trx);
  await markFindings(trx, runId, { fixed: plan.fix, reopened: plan.reopen });
  return summarizeRun(trx, runId);
}
