import type { Db } from "../../../platform/db/connect.ts";
import type { EngineResult } from "vitrine-qa/src/engine/job.ts";
import type { Outside } from "../findings/coverage.ts";
import { groupsOf } from "../findings/list-store.ts";
import { reconcile } from "../findings/reconcile.ts";
import type { Reconciled } from "../findings/reconcile-store.ts";
import { writeKnown } from "./known.ts";
import { endPass, passById, prunePasses, touchPass, writeSummary } from "./store.ts";
import { plainSummary } from "./summary-words.ts";

export interface FinishOptions {
  passId: number;
  result: EngineResult;
  /** ISO 8601. */
  at: string;
  /** How many passes are kept. */
  keep: number;
  outside?: Outside | null;
}

/** What a program has found is told in plain sentences at once: no runner comes after it. */
async function sumUpOutside(trx: Db, passId: number, { counts }: Reconciled): Promise<void> {
  const pass = await passById(trx, passId);
  if (!pass) return;
  const groups = await groupsOf(trx, { status: ["open"] });
  const summary = plainSummary({ pass, counts, notRun: [], groups });
  await writeSummary(trx, passId, { summary, by: "plain" });
}

/**
 * Ends a running pass with what it came to, in one transaction: findings, what is known of the site,
 * the pass, what is said of it where a program made it, and which older passes are kept. Null, and nothing changed, when it runs no more.
 */
export async function finishPass(db: Db, options: FinishOptions): Promise<Reconciled | null> {
  const { passId, result, at, keep, outside = null } = options;
  return db.transaction().execute(async (trx) => {
    // Holds the pass's row: whoever wants to abort it waits, and finds it ended.
    if ((await touchPass(trx, passId, null)) === null) return null;
    // A site of which nothing could be read is in trouble: nothing of it is gone for that.
    const complete = result.complete && (outside !== null || result.visited.length > 0);
    const seen = { ...result, complete };
    const { gone } = outside ? { gone: [] } : await writeKnown(trx, seen);
    const sum = await reconcile(trx, { passId, result: seen, at, gone, outside });
    const { stats, notRun, unchanged } = result;
    await endPass(trx, passId, {
      status: "finished",
      set: {
        pages: stats.pages,
        links: stats.links,
        browser_pages: stats.browserPages,
        unchanged: unchanged ? 1 : 0,
        counts: JSON.stringify(sum.counts),
        fresh: sum.fresh,
        fixed: sum.fixed,
        reopened: sum.reopened,
        not_run: JSON.stringify(notRun.map(({ what, why }) => ({ what, why }))),
      },
    });
    if (outside) await sumUpOutside(trx, passId, sum);
    await prunePasses(trx, keep);
    return sum;
  });
}
