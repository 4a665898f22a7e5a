import { setTimeout as delay } from "node:timers/promises";
import { type Clock, makeTimer } from "../../../kit/clock.ts";
import { serializeEvent } from "../../../kit/event-stream.ts";
import { parseJson } from "../../../kit/json.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { findRun } from "./store.ts";
import { serializeFinishedRun } from "../serialize.ts";

export interface RunStreamOptions {
  db: Db;
  clock: Clock;
  runId: number;
  /** Whether the reader is still signed in. */
  isAlive(): Promise<boolean>;
  /** Aborted when the reader is gone. */
  signal: AbortSignal;
  /** How often to look at the run, ms; 500 unless told. */
  tickMs?: number | undefined;
}

/** How often a comment keeps the connection open, and how often the session is looked at, ms. */
const every = { ping: 15_000, session: 2000 } as const;

/**
 * The text of a QA run's event stream: how far it is whenever that changes, then how it ended. It goes
 * by the run's row alone, so it does not matter which runner is at it.
 */
export async function* runStream(options: RunStreamOptions): AsyncGenerator<string, void> {
  const { db, clock, runId, signal, tickMs = 500 } = options;
  const pingDue = makeTimer(clock, every.ping);
  const sessionDue = makeTimer(clock, every.session);
  let lastProgress: string | null = null;
  yield "retry: 1000\n\n";
  while (!signal.aborted) {
    if (sessionDue() && !(await options.isAlive())) return;
    const row = await findRun(db, runId);
    if (row === null) return;
    if (row.status !== "running") {
      // The id tells a reader that comes back that there is no more.
      yield serializeEvent("qa.finished", serializeFinishedRun(row), 1);
      return;
    }
    if (row.progress !== null && row.progress !== lastProgress) {
      lastProgress = row.progress;
      yield serializeEvent("qa.progress", parseJson(lastProgress));
    }
    if (pingDue()) yield ": ping\n\n";
    await delay(tickMs, undefined, { signal, ref: false }).catch(() => {});
  }
}
