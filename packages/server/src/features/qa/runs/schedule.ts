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
  /** How long after the start the first pulse comes, in ms; 90,000. */
  firstMs: number;
  /** This runner. */
  runnerId: string;
  isGone(runnerId: string): Promise<boolean>;
  /** The newest scheduled run: how long ago it began, in ms by the database's clock, and whose it is. */
  lastScheduledRun(): Promise<{ ms: number; runnerId: string | null } | null>;
  /** Does something later, and gives what calls that off; the system's timers unless told. */
  setTimer?(ms: number, work: () => void): () => void;
}

/** Looks at the site again and again by itself. */
export interface Schedule {
  start(): void;
  close(): Promise<void>;
  /** When the next pulse is due, ISO 8601; null when none is. */
  nextAt(): string | null;
}

/** Two runners that wake at the same moment don't come here again at once. */
const minDelayMs = 1000;

function setSystemTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/**
 * The heartbeat of one runner. A pulse starts a QA run unless a runner that lives has begun one within
 * the interval: so several share one rhythm, while after a restart the first pulse comes soon.
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

  /** Gives how long the next one is to wait, in ms. */
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
      // A run under way longer than the interval, or another runner's pulse: the next one looks again.
      if (!isExpected) log.error({ err }, "the heartbeat of the QA engine failed");
    }
    schedule(Math.min(everyMs, Math.max(minDelayMs, wait)));
  }

  return {
    start() {
      if (callOff === null) schedule(deps.firstMs);
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
