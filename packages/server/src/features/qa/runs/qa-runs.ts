import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { QaRunTrigger } from "../schema.ts";
import { requestStop, insertRun, isSilent, type QaRunRow, findRunningRun } from "./store.ts";
import {
  type ActiveRun,
  type RunEnding,
  endWithoutResult,
  type QaRunsDependencies,
  shutDown,
  stopped,
  executeRun,
} from "./execute-run.ts";

/** QA runs, one at a time across all runners of the instance. */
export interface QaRuns {
  /**
   * Starts a QA run and returns its row. Throws AppError `invalid_state` with details {runId} if
   * one is running, `unavailable` if this runner is closing.
   */
  start(trigger: QaRunTrigger, by: string): Promise<QaRunRow>;
  /** Asks a QA run on any runner to stop; returns whether it was running. */
  stop(runId: number): Promise<boolean>;
  /** Settles when this runner has no run and all follow-up work is done. */
  idle(): Promise<void>;
  /** Aborts runs whose worker is gone; call at startup and every minute or so. */
  recover(): Promise<void>;
  /** Aborts this runner's run and accepts no more. */
  close(): Promise<void>;
}

const orphanedError = "Its runner stopped responding.";
const silentError = "It hasn't reported anything for an hour.";
/** How long an external program may be silent, in ms. */
const silenceMs = 60 * 60 * 1000;

async function alreadyRunning(db: Db): Promise<AppError> {
  const runId = (await findRunningRun(db))?.id ?? null;
  return new AppError("invalid_state", "A QA run is already in progress.", { details: { runId } });
}

/** Follow-up work after a completed QA run, which doesn't wait for it. */
async function runFollowUps(
  deps: QaRunsDependencies,
  runId: number,
  signal: AbortSignal,
): Promise<void> {
  const { log } = deps;
  try {
    await deps.afterRun(runId);
  } catch (err) {
    log.error({ err, runId }, "an action after a QA run failed");
  }
  try {
    await deps.summarize(runId, signal);
  } catch (err) {
    log.error({ err, runId }, "a QA run couldn't be summarized");
  }
}

/** The runs executed by this runner. */
function makeActiveRuns(deps: QaRunsDependencies) {
  const { log } = deps;
  const closing = new AbortController();
  const busy = new Set<Promise<void>>();
  let active: ActiveRun | null = null;

  function keepBusy(doing: Promise<void>): void {
    const done = doing.finally(() => busy.delete(done));
    busy.add(done);
  }

  async function toTheEnd(row: QaRunRow): Promise<void> {
    try {
      const finished = await executeRun(deps, row, (onStarted) => {
        active = onStarted;
        if (closing.signal.aborted) onStarted.end(shutDown);
      });
      if (finished) keepBusy(runFollowUps(deps, row.id, closing.signal));
    } catch (err) {
      // It stays running in the database until `recover` finds that its worker is gone.
      log.error({ err, runId: row.id }, "a QA run's result couldn't be stored");
    } finally {
      if (active?.id === row.id) active = null;
    }
  }

  return {
    isClosed: () => closing.signal.aborted,
    isAt: (runId: number) => active?.id === runId,
    take: (row: QaRunRow) => keepBusy(toTheEnd(row)),
    end: (how: RunEnding) => active?.end(how),
    async idle() {
      while (busy.size > 0) await Promise.all(busy);
    },
    close() {
      closing.abort();
      active?.end(shutDown);
    },
  };
}

/** The QA runs of one runner. */
export function makeQaRuns(deps: QaRunsDependencies): QaRuns {
  const { db, log, runnerId } = deps;
  const activeRuns = makeActiveRuns(deps);
  /** Runs that are stored before this runner executes them. */
  let starting = 0;

  /** Why a running run has no worker; null if it has one. */
  async function abandoned(row: QaRunRow): Promise<string | null> {
    if (row.runner_id === null) return (await isSilent(db, row.id, silenceMs)) ? silentError : null;
    if (row.runner_id === runnerId)
      return activeRuns.isAt(row.id) || starting > 0 ? null : orphanedError;
    return (await deps.isGone(row.runner_id)) ? orphanedError : null;
  }

  async function start(trigger: QaRunTrigger, by: string): Promise<QaRunRow> {
    if (activeRuns.isClosed()) throw new AppError("unavailable", "The runner is shutting down.");
    const row = await insertRun(db, { trigger, runnerId, by });
    if (row === null) throw await alreadyRunning(db);
    activeRuns.take(row);
    return row;
  }

  return {
    async start(trigger, by) {
      starting += 1;
      return start(trigger, by).finally(() => {
        starting -= 1;
      });
    },
    async stop(runId) {
      const row = await requestStop(db, runId);
      if (row === null) return false;
      if (activeRuns.isAt(runId)) activeRuns.end(stopped);
      else if (row.runner_id === null || (await abandoned(row)) !== null) {
        await endWithoutResult(deps, runId, { status: "aborted", error: stopped.error });
      }
      return true;
    },
    idle: activeRuns.idle,
    async recover() {
      const row = await findRunningRun(db);
      const why = row && (await abandoned(row));
      if (!row || why === null) return;
      const ended = await endWithoutResult(
        deps,
        row.id,
        { status: "aborted", error: why },
        row.heartbeat_at,
      );
      if (ended) log.warn({ runId: row.id, why }, "a QA run was left unfinished");
    },
    async close() {
      activeRuns.close();
      await activeRuns.idle();
    },
  };
}
