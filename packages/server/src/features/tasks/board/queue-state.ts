import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { countQueue } from "./task-run-store.ts";

/** How long something may be due while nothing is worked on, in ms. */
const stuckAfterMs = 15 * 60_000;

/** How the queue stands, by the database's clock, for the health of the whole. */
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
