import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { PassTrigger } from "../schema.ts";
import { askToStop, insertPass, isSilent, type PassRow, runningPass } from "./store.ts";
import {
  type Active,
  type Ending,
  giveUp,
  type PassesDeps,
  shutDown,
  stopped,
  work,
} from "./work.ts";

/** Passes over the site, one at a time over all runners of the instance. */
export interface Passes {
  /**
   * Begins a pass and gives its row. Throws AppError `invalid_state` with details {runId} when one
   * runs, `unavailable` when this runner ends.
   */
  start(trigger: PassTrigger, by: string): Promise<PassRow>;
  /** Asks a pass to end, whichever runner is at it; returns whether it ran. */
  stop(passId: number): Promise<boolean>;
  /** Settles when this runner is at no pass, and all that comes after one is done. */
  idle(): Promise<void>;
  /** Aborts what runs and nobody is at: to be called at boot and every minute or so. */
  recover(): Promise<void>;
  /** Aborts the pass that this runner is at, and takes on no other. */
  close(): Promise<void>;
}

const orphaned = "The runner that was at it is gone.";
const silent = "Nothing was heard of it for an hour.";
/** How long a program of the command line may say nothing, in ms. */
const silenceMs = 60 * 60 * 1000;

async function runsAlready(db: Db): Promise<AppError> {
  const runId = (await runningPass(db))?.id ?? null;
  return new AppError("invalid_state", "A pass is running already.", { details: { runId } });
}

/** What follows a pass that came to its end; the pass waits for none of it. */
async function follow(deps: PassesDeps, passId: number, signal: AbortSignal): Promise<void> {
  const { log } = deps;
  try {
    await deps.afterPass(passId);
  } catch (err) {
    log.error({ err, passId }, "what follows a QA pass failed");
  }
  try {
    await deps.summarise(passId, signal);
  } catch (err) {
    log.error({ err, passId }, "a QA pass could not be summed up");
  }
}

/** What this runner is at. */
function makeDesk(deps: PassesDeps) {
  const { log } = deps;
  const closing = new AbortController();
  const busy = new Set<Promise<void>>();
  let active: Active | null = null;

  function keepBusy(doing: Promise<void>): void {
    const done = doing.finally(() => busy.delete(done));
    busy.add(done);
  }

  async function toTheEnd(row: PassRow): Promise<void> {
    try {
      const finished = await work(deps, row, (begun) => {
        active = begun;
        if (closing.signal.aborted) begun.end(shutDown);
      });
      if (finished) keepBusy(follow(deps, row.id, closing.signal));
    } catch (err) {
      // It stays as one that runs until `recover` finds that nobody is at it.
      log.error({ err, passId: row.id }, "how a QA pass ended could not be written down");
    } finally {
      if (active?.id === row.id) active = null;
    }
  }

  return {
    isClosed: () => closing.signal.aborted,
    isAt: (passId: number) => active?.id === passId,
    take: (row: PassRow) => keepBusy(toTheEnd(row)),
    end: (how: Ending) => active?.end(how),
    async idle() {
      while (busy.size > 0) await Promise.all(busy);
    },
    close() {
      closing.abort();
      active?.end(shutDown);
    },
  };
}

/** The passes of one runner. */
export function makePasses(deps: PassesDeps): Passes {
  const { db, log, runnerId } = deps;
  const desk = makeDesk(deps);
  /** Passes of this runner that are written down before it is at them. */
  let starting = 0;

  /** Why nobody works on a pass that runs; null when somebody does. */
  async function abandoned(row: PassRow): Promise<string | null> {
    if (row.runner_id === null) return (await isSilent(db, row.id, silenceMs)) ? silent : null;
    if (row.runner_id === runnerId) return desk.isAt(row.id) || starting > 0 ? null : orphaned;
    return (await deps.isGone(row.runner_id)) ? orphaned : null;
  }

  async function start(trigger: PassTrigger, by: string): Promise<PassRow> {
    if (desk.isClosed()) throw new AppError("unavailable", "This runner is ending.");
    const row = await insertPass(db, { trigger, runnerId, by });
    if (row === null) throw await runsAlready(db);
    desk.take(row);
    return row;
  }

  return {
    async start(trigger, by) {
      starting += 1;
      return start(trigger, by).finally(() => {
        starting -= 1;
      });
    },
    async stop(passId) {
      const row = await askToStop(db, passId);
      if (row === null) return false;
      if (desk.isAt(passId)) desk.end(stopped);
      else if (row.runner_id === null || (await abandoned(row)) !== null) {
        await giveUp(deps, passId, { status: "aborted", error: stopped.error });
      }
      return true;
    },
    idle: desk.idle,
    async recover() {
      const row = await runningPass(db);
      const why = row && (await abandoned(row));
      if (!row || why === null) return;
      const ended = await giveUp(deps, row.id, { status: "aborted", error: why }, row.seen_at);
      if (ended) log.warn({ passId: row.id, why }, "a QA pass was left unfinished");
    },
    async close() {
      desk.close();
      await desk.idle();
    },
  };
}
