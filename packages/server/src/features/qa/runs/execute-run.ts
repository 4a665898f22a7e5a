import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { cleanText } from "../../../kit/text.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { Engine, EngineJob, EngineWatch } from "vitrine-qa/src/engine/job.ts";
import type { QaRunTrigger } from "../schema.ts";
import type { GroupBySource } from "../source/group-by-source.ts";
import { finishRun } from "./finish-run.ts";
import { readSiteCache } from "./site-cache.ts";
import { endRun, type QaRunRow, deleteOldRuns } from "./store.ts";
import { watchRun } from "./watch-run.ts";

export interface QaRunsDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  log: Log;
  runnerId: string;
  /** Whether another runner is no longer running. */
  isGone(runnerId: string): Promise<boolean>;
  /** Checks the site in a separate process. */
  engine: Engine;
  /** What to check, and how. */
  job(trigger: QaRunTrigger): Promise<Omit<EngineJob, "cache" | "now">>;
  countMessages: EngineWatch["countMessages"];
  /** Combines what was found at elements that one line of the source writes. */
  groupBySource: GroupBySource;
  /** Called after each completed run: queues safe fixes. */
  afterRun(runId: number): Promise<void>;
  /** Writes the summary; the signal aborts when the runner ends. */
  summarize(runId: number, signal: AbortSignal): Promise<void>;
  /** The engine's own time limit in seconds, after which it gets a minute to end. */
  seconds: number;
  /** Number of stored runs; 50. */
  keep: number;
  /** For tests; 500 ms. */
  pollMs?: number;
}

/** The end of a QA run that doesn't complete. */
export interface RunEnding {
  /** Null: it was ended elsewhere. */
  status: "aborted" | "failed" | null;
  error: string;
}

export const stopped: RunEnding = { status: "aborted", error: "It was stopped." };
export const shutDown: RunEnding = { status: "aborted", error: "The runner was shut down." };
const lost: RunEnding = { status: null, error: "" };
const graceSeconds = 60;
const signMs = 5000;
const maxErrorLength = 500;

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return cleanText(message).slice(0, maxErrorLength) || "The engine failed.";
}

/** A QA run executed by this runner. */
export interface ActiveRun {
  id: number;
  end(ending: RunEnding): void;
}

/** Settles when the signal is aborted, so that nothing waits for an engine that doesn't react. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new AppError("internal", "The run was stopped."));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

/** Ends a QA run without a result, unless it has already ended. */
export async function endWithoutResult(
  { db, keep }: Pick<QaRunsDependencies, "db" | "keep">,
  id: number,
  end: { status: "aborted" | "failed"; error: string },
  seenAt?: string,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const ended = await endRun(trx, id, end, seenAt === undefined ? {} : { seenAt });
    if (ended) await deleteOldRuns(trx, keep);
    return ended;
  });
}

/** Executes a run until its end; returns whether it completed. */
export async function executeRun(
  deps: QaRunsDependencies,
  row: QaRunRow,
  onStarted: (active: ActiveRun) => void,
): Promise<boolean> {
  const { db, log, clock } = deps;
  const controller = new AbortController();
  const { signal } = controller;
  let ending: RunEnding | null = null;
  const end = (how: RunEnding) => {
    ending ??= how;
    controller.abort(new AppError("unavailable", how.error || "The run was stopped."));
  };
  onStarted({ id: row.id, end });
  const { pollMs = 500 } = deps;
  const onEnd = (why: "stop" | "lost") => end(why === "stop" ? stopped : lost);
  const watch = watchRun({ db, log, runId: row.id, pollMs, signMs, onEnd });
  const late: RunEnding = {
    status: "failed",
    error: `It took longer than ${deps.seconds} seconds.`,
  };
  const timer = setTimeout(() => end(late), (deps.seconds + graceSeconds) * 1000);
  try {
    const inspection = (async () => {
      const job = await deps.job(row.trigger_kind);
      const siteCache = await readSiteCache(db);
      signal.throwIfAborted();
      const { progress } = watch;
      const { countMessages } = deps;
      const now = isoTime(clock.now());
      const watching = { signal, progress, countMessages };
      const found = await deps.engine({ ...job, cache: siteCache, now }, watching);
      return { ...found, observations: await deps.groupBySource(found.observations) };
    })();
    const result = await Promise.race([inspection, untilAborted(signal)]);
    await watch.close();
    signal.throwIfAborted();
    const at = isoTime(clock.now());
    const sum = await finishRun(db, { runId: row.id, result, at, keep: deps.keep });
    if (sum === null) log.warn({ runId: row.id }, "a QA run was ended in the meantime");
    return sum !== null;
  } catch (error) {
    await watch.close();
    const { status, error: why } = (ending as RunEnding | null) ?? {
      status: "failed" as const,
      error: reasonOf(error),
    };
    if (status === "failed") log.error({ err: error, runId: row.id }, "a QA run failed");
    if (status !== null) await endWithoutResult(deps, row.id, { status, error: why });
    return false;
  } finally {
    clearTimeout(timer);
  }
}
