import type { Clock } from "../../../kit/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { RunEvents } from "../../runs/events.ts";
import { requeueChange } from "./claim.ts";
import { type ClaimedTask, listClaimed, markExpired } from "./claim-store.ts";
import type { TaskMatch } from "../transition-store.ts";
import { leaveRun } from "./link-run.ts";

export interface ReleaseOptions {
  db: Db;
  events: RunEvents;
  clock: Clock;
  maxAttempts: number;
  log: Log;
}

/** Minimum time in ms between the check that finds a lease expired and the one that ends it. */
const minGraceMs = 1000;

/** The result of checking a lease: valid, expired as of now, still in its grace period, or over. */
type LeaseState = "holds" | "lapsed" | "waits" | "over";

/**
 * Checks a lease by the database's clock. If that clock jumps, leases of live workers look expired,
 * so a single check ends none: a live worker renews within the grace period.
 */
export function leaseStateOf(
  task: Pick<ClaimedTask, "now" | "lease_ms" | "lease_expires_at" | "expired_at">,
): LeaseState {
  const now = Date.parse(task.now);
  const lease = task.lease_ms ?? 0;
  const ends = Date.parse(task.lease_expires_at ?? task.now);
  // A lease that ends later than its duration allows was given before the clock was set back.
  if (ends > now && ends <= now + lease) return "holds";
  if (task.expired_at === null) return "lapsed";
  const since = now - Date.parse(task.expired_at);
  if (since < 0) return "lapsed";
  return since < Math.max(minGraceMs, lease / 2) ? "waits" : "over";
}

/**
 * Takes a task back from a worker presumed dead; returns whether it did. An error for one task
 * doesn't affect the others; the next check retries it.
 */
async function reclaim(
  options: ReleaseOptions,
  task: ClaimedTask,
  why: { reason: string; seen?: TaskMatch["seen"] },
): Promise<boolean> {
  try {
    return await take(options, task, why);
  } catch (error) {
    options.log.error({ err: error, taskId: task.id }, "a task can't be returned to the queue");
    return false;
  }
}

async function take(
  options: ReleaseOptions,
  task: ClaimedTask,
  { reason, seen }: { reason: string; seen?: TaskMatch["seen"] },
): Promise<boolean> {
  const { db, maxAttempts, log } = options;
  const exhausted = task.attempts >= maxAttempts;
  const times = maxAttempts === 1 ? "once" : `${maxAttempts} times`;
  const change = requeueChange(
    db,
    task.attempts,
    { reason: exhausted ? `Its worker stopped ${times}.` : reason, waitMs: 0, counts: true },
    { maxAttempts, exhausted: "failed" },
  );
  const left = await leaveRun(options, task, {
    change,
    working: "interrupted",
    reason,
    ...(seen && { seen }),
  });
  if (left === "overtaken" || left === "publishing") return false;
  const worker = task.claimed_by;
  log.warn(
    { taskId: task.id, worker, status: left.status, reason },
    "a task was returned to the queue",
  );
  return true;
}

/**
 * Takes back tasks whose workers have been silent for longer than their leases, in two checks: call
 * this regularly. Returns the IDs of tasks taken back now.
 */
export async function releaseExpired(options: ReleaseOptions): Promise<number[]> {
  const { db } = options;
  const released: number[] = [];
  for (const task of await listClaimed(db)) {
    const state = leaseStateOf(task);
    if (state === "holds" && task.expired_at !== null) await markExpired(db, task, null);
    if (state === "lapsed") await markExpired(db, task, task.now);
    if (state !== "over") continue;
    const { lease_expires_at, expired_at } = task;
    const silent = {
      reason: "Its worker stopped responding.",
      seen: { lease_expires_at, expired_at },
    };
    if (await reclaim(options, task, silent)) released.push(task.id);
  }
  return released;
}

/**
 * Immediately takes back the tasks of workers known to be dead. `reason` is a text for people.
 * Returns the IDs of these tasks.
 */
export async function releaseTasksOf(
  options: ReleaseOptions,
  workers: readonly string[],
  reason: string,
): Promise<number[]> {
  const released: number[] = [];
  if (workers.length === 0) return released;
  for (const task of await listClaimed(options.db, workers)) {
    if (await reclaim(options, task, { reason })) released.push(task.id);
  }
  return released;
}
