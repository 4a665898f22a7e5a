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
  /** Whether the client is still signed in. */
  isAlive(): Promise<boolean>;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
  /** The polling interval, ms; defaults to 500. */
  tickMs?: number | undefined;
}

/** Intervals of keep-alive comments and of session checks, ms. */
const every = { ping: 15_000, session: 2000 } as const;

/**
 * The event stream of a QA run: its progress whenever it changes, then its end. It only reads the
 * run's row, so it works for runs on any runner.
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
      // The ID tells a reconnecting client that nothing follows.
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
