import { AppError } from "../../../kit/errors.ts";
import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Log } from "../../../platform/log.ts";
import type { QaRuns } from "./qa-runs.ts";

export interface ScheduleDependencies {
  runs: Pick<QaRuns, "start">;
  clock: Pick<Clock, "now">;
  log: Log;
  /** 0 is off. */
  everyMinutes: number;
  /** How long after startup the first scheduled run is due, in ms; 90,000. */
  firstMs: number;
  /** This runner. */
  runnerId: string;
  isGone(runnerId: string): Promise<boolean>;
  /** The newest scheduled run: its age in ms by the database's clock, and its runner. */
  lastScheduledRun(): Promise<{ ms: number; runnerId: string | null } | null>;
  /**
   * Runs something later and returns a function that cancels it; defaults to the system's timers.
   */
  setTimer?(ms: number, work: () => void): () => void;
}

/** Starts QA runs regularly. */
export interface Schedule {
  /** `firstMs`: how long after this the first run is due, if not as long as usual. */
  start(firstMs?: number): void;
  close(): Promise<void>;
  /** When the next run is due, ISO 8601; null if none is. */
  nextAt(): string | null;
}

/** Keeps two runners that wake at the same time from retrying immediately. */
const minDelayMs = 1000;

function setSystemTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/**
 * The schedule of one runner. It starts a QA run unless a live runner has started one within the
 * interval, so that several runners share one rhythm, and after a restart the first run comes soon.
 */
export function makeSchedule(deps: ScheduleDependencies): Schedule {
  const { runs, clock, log, setTimer = setSystemTimer } = deps;
  const everyMs = deps.everyMinutes * 60_000;
  let closed = everyMs === 0;
  let callOff: (() => void) | null = null;
  let dueAt: number | null = null;
  let starting: Promise<void> | null = null;

  function schedule(wait: number): void {
    if (closed) return;
    dueAt = clock.now() + wait;
    callOff = setTimer(wait, () => {
      starting = startScheduledRun().finally(() => {
        starting = null;
      });
    });
  }

  const lives = async (id: string | null) =>
    id !== null && (id === deps.runnerId || !(await deps.isGone(id)));

  /** Returns how long to wait for the next check, in ms. */
  async function runWhenDue(): Promise<number> {
    const last = await deps.lastScheduledRun();
    if (last !== null && last.ms < everyMs && (await lives(last.runnerId))) {
      return everyMs - last.ms;
    }
    if (!closed) await runs.start("heartbeat", "");
    return everyMs;
  }

  async function startScheduledRun(): Promise<void> {
    callOff = null;
    dueAt = null;
    let wait = everyMs;
    try {
      wait = await runWhenDue();
    } catch (err) {
      const isExpected =
        err instanceof AppError && ["invalid_state", "unavailable"].includes(err.code);
      // A run takes longer than the interval, or another runner has started one: the next check
      // decides.
      if (!isExpected) log.error({ err }, "the heartbeat of the QA engine failed");
    }
    schedule(Math.min(everyMs, Math.max(minDelayMs, wait)));
  }

  return {
    start(firstMs = deps.firstMs) {
      if (callOff === null) schedule(firstMs);
    },
    async close() {
      closed = true;
      callOff?.();
      callOff = null;
      dueAt = null;
      await starting;
    },
    nextAt: () => (dueAt === null ? null : isoTime(dueAt)),
  };
}
