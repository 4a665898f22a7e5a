import type { Db } from "../../../platform/db/connect.ts";
import type { EngineResult } from "vitrine-qa/src/engine/job.ts";
import { makeCoverage, type Outside } from "./coverage.ts";
import { pageKey } from "./content.ts";
import { applyRules, endExpired } from "./ignore-store.ts";
import { makePlan, type Plan, type PlanOptions } from "./plan.ts";
import {
  findingsByFingerprint,
  insertFindings,
  lockFindings,
  markFindings,
  markGone,
  publishedBefore,
  type Reconciled,
  replaceFindings,
  standingFindings,
  sumUp,
  touchFindings,
  touchUnchanged,
} from "./reconcile-store.ts";

export interface ReconcileOptions {
  passId: number;
  result: Omit<EngineResult, "known" | "stats">;
  /** ISO 8601. */
  at: string;
  /** Pages that are no part of the site any more; see pass/known.ts. */
  gone?: readonly string[];
  /** The program that brought the result by the command line: it speaks of its own findings alone. */
  outside?: Outside | null;
}

/** The findings that the pass may change, and those it has seen again after they were fixed. */
async function rowsFor(
  trx: Db,
  { result, outside }: ReconcileOptions,
  { alike }: { alike: boolean },
): Promise<PlanOptions["rows"]> {
  const standing = await standingFindings(trx, {
    reporter: outside?.name ?? null,
    alike,
  });
  const met = new Set(standing.map(({ fingerprint }) => fingerprint));
  const others = result.observations.map(({ fingerprint }) => fingerprint);
  const missing = [...new Set(others)].filter((fingerprint) => !met.has(fingerprint));
  return [...standing, ...(await findingsByFingerprint(trx, missing))];
}

async function write(trx: Db, plan: Plan, stamp: { passId: number; at: string }): Promise<void> {
  await insertFindings(trx, plan.insert);
  await replaceFindings(trx, plan.replace);
  await touchFindings(trx, plan.touch, stamp);
  await markGone(trx, plan.fix, { at: stamp.at, ignored: false });
  await markGone(trx, plan.ignoredGone, { at: stamp.at, ignored: true });
}

/**
 * Lays what a pass has seen over the findings that there are: new ones, seen ones, fixed ones, and
 * those that are there again. Ends the ignorings that are over, and lets rules take what is theirs.
 * Belongs into the transaction that ends the pass.
 */
export async function reconcile(trx: Db, options: ReconcileOptions): Promise<Reconciled> {
  const { passId, result, at, gone = [], outside = null } = options;
  await lockFindings(trx);
  await endExpired(trx, at);
  // Then all that depends on the site's pages is treated alike, without looking at each.
  const alike = result.unchanged && gone.length === 0 && outside === null;
  const rows = await rowsFor(trx, options, { alike });
  const taskIds = rows.flatMap(({ status, task_id }) =>
    status === "queued" && task_id !== null ? [task_id] : [],
  );
  const keyed = {
    ...result,
    visited: result.visited.map(pageKey),
    browserVisited: result.browserVisited.map(pageKey),
    browserKept: result.browserKept.map(pageKey),
  };
  const plan = makePlan({
    passId,
    at,
    rows,
    observations: result.observations,
    coverage: makeCoverage({ result: keyed, gone: new Set(gone.map(pageKey)), outside }),
    reporter: outside?.name ?? null,
    published: await publishedBefore(trx, passId, taskIds),
  });
  await write(trx, plan, { passId, at });
  if (alike) await touchUnchanged(trx, { passId, at });
  await applyRules(trx);
  await markFindings(trx, passId, { fixed: plan.fix, reopened: plan.reopen });
  return sumUp(trx, passId);
}
