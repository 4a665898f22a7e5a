import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { cleanText } from "../../../kit/text.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { Engine, EngineJob, EngineWatch } from "vitrine-qa/src/engine/job.ts";
import type { PassTrigger } from "../schema.ts";
import { finishPass } from "./finish.ts";
import { readKnown } from "./known.ts";
import { endPass, type PassRow, prunePasses } from "./store.ts";
import { watchPass } from "./watch.ts";

export interface PassesDeps {
  db: Db;
  clock: Pick<Clock, "now">;
  log: Log;
  runnerId: string;
  /** Whether another runner works no more. */
  isGone(runnerId: string): Promise<boolean>;
  /** Looks at the site, in a process of its own. */
  engine: Engine;
  /** What is to be looked at, and how. */
  job(trigger: PassTrigger): Promise<Omit<EngineJob, "known" | "now">>;
  countMessages: EngineWatch["countMessages"];
  /** Told of each pass that came to its end: mends what may be mended unattended. */
  afterPass(passId: number): Promise<void>;
  /** Says in words what it came to; the signal says that the runner ends. */
  summarise(passId: number, signal: AbortSignal): Promise<void>;
  /** How long a pass may take; the engine's own limit, after which it gets a minute to end. */
  seconds: number;
  /** How many passes are kept; 50. */
  keep: number;
  /** For tests; 500 ms. */
  pollMs?: number;
}

/** How a pass ends that does not come to its end. */
export interface Ending {
  /** Null: somebody else has ended it. */
  status: "aborted" | "failed" | null;
  error: string;
}

export const stopped: Ending = { status: "aborted", error: "It was stopped." };
export const shutDown: Ending = { status: "aborted", error: "The runner was shut down." };
const lost: Ending = { status: null, error: "" };
const graceSeconds = 60;
const signMs = 5000;
const longestError = 500;

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return cleanText(message).slice(0, longestError) || "The engine failed.";
}

/** A pass that is worked on here. */
export interface Active {
  id: number;
  end(ending: Ending): void;
}

/** Settles when the signal is aborted, so that nothing waits for an engine that doesn't hear of it. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new AppError("internal", "The pass was ended."));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

/** Ends a pass without a result, unless somebody has ended it already. */
export async function giveUp(
  { db, keep }: Pick<PassesDeps, "db" | "keep">,
  id: number,
  end: { status: "aborted" | "failed"; error: string },
  seenAt?: string,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const ended = await endPass(trx, id, end, seenAt === undefined ? {} : { seenAt });
    if (ended) await prunePasses(trx, keep);
    return ended;
  });
}

/** Works on one pass until it is over; gives whether it came to its end. */
export async function work(
  deps: PassesDeps,
  row: PassRow,
  begun: (active: Active) => void,
): Promise<boolean> {
  const { db, log, clock } = deps;
  const controller = new AbortController();
  const { signal } = controller;
  let ending: Ending | null = null;
  const end = (how: Ending) => {
    ending ??= how;
    controller.abort(new AppError("unavailable", how.error || "The pass was ended."));
  };
  begun({ id: row.id, end });
  const { pollMs = 500 } = deps;
  const onEnd = (why: "stop" | "lost") => end(why === "stop" ? stopped : lost);
  const watch = watchPass({ db, log, passId: row.id, pollMs, signMs, onEnd });
  const late: Ending = { status: "failed", error: `It took longer than ${deps.seconds} seconds.` };
  const timer = setTimeout(() => end(late), (deps.seconds + graceSeconds) * 1000);
  try {
    const looking = (async () => {
      const job = await deps.job(row.trigger_kind);
      const known = await readKnown(db);
      signal.throwIfAborted();
      const { progress } = watch;
      const { countMessages } = deps;
      const now = isoTime(clock.now());
      return deps.engine({ ...job, known, now }, { signal, progress, countMessages });
    })();
    const result = await Promise.race([looking, untilAborted(signal)]);
    await watch.close();
    signal.throwIfAborted();
    const at = isoTime(clock.now());
    const sum = await finishPass(db, { passId: row.id, result, at, keep: deps.keep });
    if (sum === null) log.warn({ passId: row.id }, "a QA pass had been ended meanwhile");
    return sum !== null;
  } catch (error) {
    await watch.close();
    const { status, error: why } = (ending as Ending | null) ?? {
      status: "failed" as const,
      error: reasonOf(error),
    };
    if (status === "failed") log.error({ err: error, passId: row.id }, "a QA pass failed");
    if (status !== null) await giveUp(deps, row.id, { status, error: why });
    return false;
  } finally {
    clearTimeout(timer);
  }
}
