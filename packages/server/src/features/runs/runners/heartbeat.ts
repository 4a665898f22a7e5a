import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { LivenessWatch } from "./liveness-watch.ts";
import {
  type RegisteredRunner,
  listRunners,
  type NewRunner,
  registerRunner,
  updateHeartbeat,
} from "./store.ts";

/** Maximum time for the database to store a heartbeat, in ms. */
const maxResponseMs = 10_000;

/** Throws if the work takes longer: a silently broken connection never reports it. */
async function rejectAfter<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Sends heartbeats at an interval and observes those of other runners. */
export function makeHeartbeat(
  { db, log, heartbeatMs = 5000 }: { db: Db; log: Log; heartbeatMs?: number },
  own: NewRunner,
  watch: LivenessWatch,
) {
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> = Promise.resolve();
  let closed = false;
  let failing = false;

  async function sendHeartbeat(): Promise<RegisteredRunner[]> {
    const known = await updateHeartbeat(db, own.id);
    if (!known && !closed) {
      await registerRunner(db, own);
      log.warn({ runner: own.id }, "this runner was considered dead; registered it again");
    }
    return listRunners(db);
  }

  async function sendOnce(): Promise<void> {
    try {
      watch.observe(await rejectAfter(sendHeartbeat(), maxResponseMs));
      if (failing) log.info("the runner's heartbeat works again");
      failing = false;
    } catch (error) {
      watch.reset();
      if (!failing) log.error({ err: error }, "couldn't store the runner's heartbeat");
      failing = true;
    }
  }

  function schedule(): void {
    if (closed) return;
    timer = setTimeout(() => {
      beating = sendOnce().then(schedule);
    }, heartbeatMs);
  }

  return {
    start: schedule,
    async close() {
      closed = true;
      clearTimeout(timer);
      await beating;
    },
  };
}
