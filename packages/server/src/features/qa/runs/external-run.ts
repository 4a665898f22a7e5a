import { AppError } from "../../../kit/errors.ts";
import { cleanText } from "../../../kit/text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { EngineResult, Observation } from "vitrine-qa/src/engine/job.ts";
import type { ReconcileResult } from "../findings/reconcile-store.ts";
import type { QaRunStatus } from "../schema.ts";
import { finishRun } from "./finish-run.ts";
import {
  endRun,
  insertRun,
  findRun,
  type QaRunRow,
  deleteOldRuns,
  findRunningRun,
} from "./store.ts";

/** The report of an external program. */
export interface ExternalReport {
  observations: Observation[];
  /** The checks made in this run; by default all that it ever makes. */
  checks?: readonly string[];
  /** The pages visited; by default the whole site. */
  pages?: readonly string[];
}

function resultOf({ observations, pages }: ExternalReport): EngineResult {
  const seen = observations.flatMap(({ occurrences }) => occurrences.map(({ page }) => page));
  const visited = [...new Set(pages ?? seen)];
  return {
    observations,
    isUnchanged: false,
    visited,
    unchangedBrowserPages: [],
    // Counts as visited in every way.
    browserVisited: visited,
    uncheckedExternals: [],
    unchangedChecks: [],
    skippedChecks: [],
    isComplete: pages === undefined,
    cache: { site: null, resources: [], externals: [] },
    stats: { pages: visited.length, links: 0, browserPages: 0, ms: 0 },
  };
}

/**
 * Records that an external program starts a QA run; `program` is its name. Throws AppError
 * `invalid_state` with details {runId} if a QA run is running.
 */
export async function startExternalRun(db: Db, program: string): Promise<QaRunRow> {
  const by = cleanText(program).slice(0, 100) || "external";
  const row = await insertRun(db, { trigger: "manual", runnerId: null, by });
  if (row !== null) return row;
  const runId = (await findRunningRun(db))?.id ?? null;
  throw new AppError("invalid_state", "A QA run is already in progress.", { details: { runId } });
}

export interface FinishExternalRun {
  runId: number;
  status: Extract<QaRunStatus, "finished" | "failed">;
  /** Of a completed run. */
  report: ExternalReport;
  /** Why a failed run failed. */
  error?: string | undefined;
  /** Now, ISO 8601. */
  at: string;
  keep: number;
}

/**
 * Ends a QA run of an external program. The program's findings that its report no longer contains
 * become fixed, as far as it covered them; other findings don't change. Throws `not_found` and
 * `invalid_state` (it isn't such a run, or has ended; details {status}).
 */
export async function finishExternalRun(
  db: Db,
  options: FinishExternalRun,
): Promise<{ run: QaRunRow; summary: ReconcileResult | null }> {
  const { runId, status, report, at, keep } = options;
  const row = await findRun(db, runId);
  if (!row) throw new AppError("not_found", "This QA run doesn't exist.");
  const refused = (why: string, now: QaRunStatus) =>
    new AppError("invalid_state", why, { details: { status: now } });
  if (row.runner_id !== null)
    throw refused(
      "Vitrine itself is executing this run. Only runs of external programs can be finished this way.",
      row.status,
    );
  let summary: ReconcileResult | null = null;
  let ended: boolean;
  if (status === "finished") {
    const { checks = null, pages = null } = report;
    const external = { name: row.requested_by, checks, pages };
    summary = await finishRun(db, { runId, result: resultOf(report), at, keep, external });
    ended = summary !== null;
  } else {
    ended = await db.transaction().execute(async (trx) => {
      const error = cleanText(options.error ?? "").slice(0, 500) || "The program failed.";
      const done = await endRun(trx, runId, { status, error });
      if (done) await deleteOldRuns(trx, keep);
      return done;
    });
  }
  const run = await findRun(db, runId);
  if (!run) throw new AppError("not_found", "This QA run doesn't exist.");
  if (!ended) throw refused(`The run is already ${run.status}.`, run.status);
  return { run, summary };
}
