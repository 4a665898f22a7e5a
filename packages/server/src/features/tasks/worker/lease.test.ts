import { expect, onTestFinished, test } from "vitest";
import { startDatabaseProxy } from "../../../../../../test/faults/proxy.ts";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { startDialect } from "../../../../../../test/support/postgres.ts";
import { sampleTask } from "../../../../../../test/support/queue-tasks.ts";
import { createLog } from "../../../platform/log.ts";
import { isoTime } from "../../../kit/time.ts";
import { openDatabase } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { claimNext, renewClaim } from "../queue/claim.ts";
import { releaseExpired } from "../queue/expired-leases.ts";
import { queueTask } from "../queue/queue.ts";
import { findTask } from "../store.ts";
import { ClaimLost, maintainLease } from "./lease.ts";

const clock = fakeClock();
const log = createLog({ level: "silent", name: "test" });

/** A database, and the connections of a worker to it that can be stalled. */
async function openCuttable() {
  const maker = await startDialect("postgres");
  onTestFinished(() => maker.close());
  const { database, address } = await maker.make();
  await migrate({ database, now: clock.now() });
  const { proxy, url } = await startDatabaseProxy(address.url ?? "");
  const cut = openDatabase({ url, file: "", watch: { waitMs: 300, everyMs: 50, connectMs: 300 } });
  onTestFinished(async () => {
    await cut.close();
    await proxy.close();
  });
  return { proxy, db: database.db, cutDb: cut.db };
}

test("abuse 235: a worker that is cut off ends its lease, and another one takes the task", async () => {
  const { proxy, db, cutDb } = await openCuttable();
  const id = (await queueTask(db, sampleTask, isoTime(clock.now()))).id;
  const leaseMs = 600;
  const claim = await claimNext(cutDb, { worker: "cut off", leaseMs });
  if (claim === null) throw new Error("nothing is due");
  const lease = maintainLease({ db: cutDb, log, everyMs: 100, leaseMs }, claim);
  onTestFinished(() => lease.end());
  await lease.renew();
  expect(lease.signal.aborted).toBe(false);
  proxy.stall();
  await eventually(() => expect(lease.signal.reason).toBeInstanceOf(ClaimLost));
  const events = { add: async () => {} } as never;
  await eventually(async () => {
    await releaseExpired({ db, events, clock, log, maxAttempts: 3 });
    expect(await findTask(db, id)).toMatchObject({ status: "queued" });
  });
  expect(await claimNext(db, { worker: "other", leaseMs: 60_000 })).toMatchObject({ taskId: id });
  proxy.flow();
  // What it had is not valid when it is back.
  await eventually(async () => expect(await renewClaim(cutDb, claim)).toBeNull());
});
