import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { countQueue } from "./task-run-store.ts";

/** How long a task may be due while nothing is running, in ms. */
const stuckAfterMs = 15 * 60_000;

/** The state of the queue by the database's clock, for the health check. */
export async function queueState(
  db: Db,
  deps: { pause: { get(): Promise<boolean> }; runners(): Promise<number> },
): Promise<{ queued: number; due: number; stuck: boolean; paused: boolean; runners: number }> {
  const [count, paused, runners] = await Promise.all([
    countQueue(db, { now: databaseTime(db), since: databaseTime(db, -stuckAfterMs) }),
    deps.pause.get(),
    deps.runners(),
  ]);
  const { queued, due, overdue, active } = count;
  return { queued, due, stuck: overdue > 0 && active === 0, paused, runners };
}
