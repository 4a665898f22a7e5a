/**
 * A worker of its own process: carries tasks out until none is left. What it does to the world is a
 * row, written in the transaction that ends the claim. Says `ready` once it has begun, and `claim`
 * at each task that it has in hand.
 *
 *   node test/support/queue-worker.ts '{"name": …, "address": {"url", "file"}, "leaseMs": …, …}'
 */
import { setTimeout as delay } from "node:timers/promises";
import { makeRunEvents } from "../../packages/server/src/features/runs/events.ts";
import {
  claimNext,
  type ClaimKey,
  endClaim,
} from "../../packages/server/src/features/tasks/queue/claim.ts";
import { releaseExpired } from "../../packages/server/src/features/tasks/queue/expired-leases.ts";
import { countTasks } from "../../packages/server/src/features/tasks/board/list-store.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import type { EffectTables } from "./queue-tasks.ts";

export interface WorkerOptions {
  name: string;
  address: { url: string | null; file: string };
  leaseMs: number;
  maxAttempts: number;
  /** How long a task takes, at most, in ms. */
  workMs: number;
  /** Goes on when there is nothing to do. */
  forever?: boolean;
}

const options = JSON.parse(process.argv[2] ?? "") as WorkerOptions;
const { db, close } = openDatabase(options.address);
const log = createLog({ level: "silent", name: "worker" });
const clock = systemClock;
const events = makeRunEvents({ db, clock });
/** How often it looks for claims that have lapsed, in ms. */
const lookMs = 250;
let looked = 0;

async function look(): Promise<void> {
  if (clock.monotonic() - looked < lookMs) return;
  looked = clock.monotonic();
  await releaseExpired({ db, events, clock, log, maxAttempts: options.maxAttempts });
}

async function execute(key: ClaimKey): Promise<void> {
  await delay(Math.random() * options.workMs);
  await db.transaction().execute(async (trx) => {
    const commit = `by ${options.name}`;
    const at = isoTime(clock.now());
    if (!(await endClaim(trx, key, { status: "published", commit }, at))) return;
    const effect = { task_id: key.taskId, worker: options.name };
    await trx.withTables<EffectTables>().insertInto("effect").values(effect).execute();
  });
}

async function isAllDone(): Promise<boolean> {
  if (options.forever === true) return false;
  const { queued, running } = await countTasks(db);
  return queued + running === 0;
}

process.stdout.write("ready\n");
for (;;) {
  await look();
  const claim = await claimNext(db, { worker: options.name, leaseMs: options.leaseMs });
  if (claim !== null) {
    process.stdout.write("claim\n");
    await execute(claim);
  } else if (await isAllDone()) {
    break;
  } else {
    await delay(20);
  }
}
await close();
