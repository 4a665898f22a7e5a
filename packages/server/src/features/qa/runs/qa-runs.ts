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

/** Passes over the site, one at a time over all runners of the instance. */
export interface QaRuns {
  /**
   * Begins a QA run and gives its row. Throws AppError `invalid_state` with details {runId} when one
   * runs, `unavailable` when this runner ends.
   */
  start(trigger: QaRunTrigger, by: string): Promise<QaRunRow>;
  /** Asks a QA run to end, whichever runner is at it; returns whether it ran. */
  stop(runId: number): Promise<boolean>;
  /** Settles when this runner is at no run, and all that comes after one is done. */
  idle(): Promise<void>;
  /** Aborts what runs and nobody is at: to be called at boot and every minute or so. */
  recover(): Promise<void>;
  /** Aborts the run that this runner is at, and takes on no other. */
  close(): Promise<void>;
}

const orphanedError = "The runner that was at it is gone.";
const silentError = "Nothing was heard of it for an hour.";
/** How long a program of the command line may say nothing, in ms. */
const silenceMs = 60 * 60 * 1000;

async function alreadyRunning(db: Db): Promise<AppError> {
  const runId = (await findRunningRun(db))?.id ?? null;
  return new AppError("invalid_state", "A QA run is already running.", { details: { runId } });
}

/** What follows a QA run that came to its end; the run waits for none of it. */
async function runFollowUps(
  deps: QaRunsDependencies,
  runId: number,
  signal: AbortSignal,
): Promise<void> {
  const { log } = deps;
  try {
    await deps.afterRun(runId);
  } catch (err) {
    log.error({ err, runId }, "what follows a QA run failed");
  }
  try {
    await deps.summarize(runId, signal);
  } catch (err) {
    log.error({ err, runId }, "a QA run could not be summed up");
  }
}

/** What this runner is at. */
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
      // It stays as one that runs until `recover` finds that nobody is at it.
      log.error({ err, runId: row.id }, "how a QA run ended could not be written down");
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

/** The runs of one runner. */
export function makeQaRuns(deps: QaRunsDependencies): QaRuns {
  const { db, log, runnerId } = deps;
  const activeRuns = makeActiveRuns(deps);
  /** Passes of this runner that are written down before it is at them. */
  let starting = 0;

  /** Why nobody works on a run under way; null when somebody does. */
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
