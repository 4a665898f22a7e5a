import { AppError } from "../../../kit/errors.ts";
import { cleanText } from "../../../kit/text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { EngineResult, Observation } from "vitrine-qa/src/engine/job.ts";
import type { Reconciled } from "../findings/reconcile-store.ts";
import type { PassStatus } from "../schema.ts";
import { finishPass } from "./finish.ts";
import { endPass, insertPass, passById, type PassRow, prunePasses, runningPass } from "./store.ts";

/** What a program has found. */
export interface OutsideReport {
  observations: Observation[];
  /** The checks that it has made this time; left out: all that it ever makes. */
  checks?: readonly string[];
  /** The pages that it has looked at; left out: all of the site. */
  pages?: readonly string[];
}

function resultOf({ observations, pages }: OutsideReport): EngineResult {
  const seen = observations.flatMap(({ occurrences }) => occurrences.map(({ page }) => page));
  const visited = [...new Set(pages ?? seen)];
  return {
    observations,
    unchanged: false,
    visited,
    browserKept: [],
    // Whatever it looked with, it has looked.
    browserVisited: visited,
    externalKept: [],
    keptChecks: [],
    notRun: [],
    complete: pages === undefined,
    known: { site: null, resources: [], externals: [] },
    stats: { pages: visited.length, links: 0, browserPages: 0, ms: 0 },
  };
}

/**
 * Writes down that a program of the command line begins a pass; `program` is what it is called.
 * Throws AppError `invalid_state` with details {runId} when a pass runs.
 */
export async function startOutside(db: Db, program: string): Promise<PassRow> {
  const by = cleanText(program).slice(0, 100) || "outside";
  const row = await insertPass(db, { trigger: "manual", runnerId: null, by });
  if (row !== null) return row;
  const runId = (await runningPass(db))?.id ?? null;
  throw new AppError("invalid_state", "A pass is running already.", { details: { runId } });
}

export interface FinishOutside {
  passId: number;
  status: Extract<PassStatus, "finished" | "failed">;
  /** Of a finished pass. */
  report: OutsideReport;
  /** Of a failed one: why. */
  error?: string | undefined;
  /** Now, ISO 8601. */
  at: string;
  keep: number;
}

/**
 * Ends a pass that a program began. What its report has no more of its own findings is fixed, as far
 * as it has looked; nobody else's findings change. Throws `not_found` and `invalid_state`
 * (it isn't such a pass, or runs no more; details {status}).
 */
export async function finishOutside(
  db: Db,
  options: FinishOutside,
): Promise<{ pass: PassRow; sum: Reconciled | null }> {
  const { passId, status, report, at, keep } = options;
  const row = await passById(db, passId);
  if (!row) throw new AppError("not_found", "There is no such pass.");
  const refused = (why: string, now: PassStatus) =>
    new AppError("invalid_state", why, { details: { status: now } });
  if (row.runner_id !== null) throw refused("A runner is at this pass.", row.status);
  let sum: Reconciled | null = null;
  let ended: boolean;
  if (status === "finished") {
    const { checks = null, pages = null } = report;
    const outside = { name: row.requested_by, checks, pages };
    sum = await finishPass(db, { passId, result: resultOf(report), at, keep, outside });
    ended = sum !== null;
  } else {
    ended = await db.transaction().execute(async (trx) => {
      const error = cleanText(options.error ?? "").slice(0, 500) || "The program failed.";
      const done = await endPass(trx, passId, { status, error });
      if (done) await prunePasses(trx, keep);
      return done;
    });
  }
  const pass = await passById(db, passId);
  if (!pass) throw new AppError("not_found", "There is no such pass.");
  if (!ended) throw refused(`The pass is ${pass.status} already.`, pass.status);
  return { pass, sum };
}
