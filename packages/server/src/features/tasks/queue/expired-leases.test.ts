import { sql } from "kysely";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import { clearTasks, addTaskRow } from "../../../../../../test/support/queue-tasks.ts";
import { systemClock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import { databaseTime } from "../../../platform/db/clock.ts";
import { type Database, type Db, openDatabase } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { createLog } from "../../../platform/log.ts";
import { makeRunEvents } from "../../runs/events.ts";
import { findStatus } from "../../runs/store.ts";
import { claimNext, endClaim, lockClaim, renewClaim } from "./claim.ts";
import { leaseStateOf, releaseTasksOf, releaseExpired } from "./expired-leases.ts";
import { cancelTask } from "./queue.ts";
import { leaveRun } from "./link-run.ts";
import { listEvents, findTask, type TaskRow, tables } from "../store.ts";

const clock = systemClock;
const log = createLog({ level: "silent", name: "test", destination: new PassThrough() });
const leaseMs = 60_000;
/** Longer than the grace of such a lease. */
const grace = 31_000;
const hour = 3_600_000;
const times = ["lease_expires_at", "expired_at", "not_before"] as const;

describe.each(dialects)("lapsed claims on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  /** The same database as another process sees it, as far as one process can. */
  let other: Database;

  beforeAll(async () => {
    maker = await startDialect(dialect);
    const { database, address } = await maker.make();
    ({ db } = database);
    await migrate({ database, now: clock.now() });
    // Within one process two connections to a SQLite file can't wait for each other.
    other = dialect === "sqlite" ? database : openDatabase(address);
  });
  beforeEach(() => clearTasks(db));
  afterAll(async () => {
    await other?.close();
    await maker?.close();
  });

  const options = (from: Db = db) => {
    return { db: from, clock, log, maxAttempts: 3, events: makeRunEvents({ db: from, clock }) };
  };
  const release = (from?: Db) => releaseExpired(options(from));
  const find = async (id: number) => (await findTask(db, id)) as TaskRow;
  const next = (worker = "worker") => claimNext(db, { worker, leaseMs });
  const key = (taskId: number) => ({ taskId, token: "token" });

  /** Lets so many ms pass, or the clock jump: what is stored moves the other way. */
  async function shift(ms: number): Promise<void> {
    const moved = (time: string | null) => (time === null ? null : isoTime(Date.parse(time) - ms));
    for (const row of await tables(db).selectFrom("task").selectAll().execute()) {
      const set = Object.fromEntries(times.map((name) => [name, moved(row[name])]));
      await tables(db).updateTable("task").set(set).where("id", "=", row.id).execute();
    }
  }

  it("leaves a lease alone while it lasts, and takes back in the second look what is silent", async () => {
    const task = await addTaskRow(db, "claimed");
    expect(await release()).toEqual([]);
    expect(await find(task.id)).toEqual(task);
    await shift(leaseMs + 1);
    expect(await release()).toEqual([]);
    expect(await release()).toEqual([]);
    expect((await find(task.id)).status).toBe("claimed");
    await shift(grace);
    expect(await release()).toEqual([task.id]);
    expect(await release()).toEqual([]);
    const free = { status: "queued", attempts: 1, claim_hash: null, expired_at: null };
    expect(await find(task.id)).toMatchObject(free);
    expect(await listEvents(db, task.id)).toMatchObject([
      { type: "created" },
      { type: "requeued", message: "Its worker stopped responding." },
    ]);
    expect(await renewClaim(db, key(task.id))).toBeNull();
    expect((await next())?.task).toMatchObject({ id: task.id, attempts: 2 });
  });

  it.each([
    ["forward", 5 * hour],
    ["back", -5 * hour],
    ["forward by less than a lease", 59_000],
    ["back by less than a lease", -30_000],
  ])("abuse 89: a clock that jumps %s takes no task from a living worker", async (_, jump) => {
    const task = await addTaskRow(db, "building", { run: "running" });
    await shift(jump);
    for (let check = 0; check < 3; check += 1) expect(await release()).toEqual([]);
    expect(await next("thief")).toBeNull();
    expect(await renewClaim(db, key(task.id))).not.toBeNull();
    expect(await find(task.id)).toMatchObject({ status: "building", expired_at: null });
    for (let third = 0; third < 5; third += 1) {
      await shift(leaseMs / 3);
      expect(await release()).toEqual([]);
      expect(await renewClaim(db, key(task.id))).not.toBeNull();
    }
    expect(await next("thief")).toBeNull();
    const done = { status: "failed", error: "x" } as const;
    expect(await endClaim(db, key(task.id), done, isoTime(clock.now()))).toBe(true);
  });

  it.each([
    ["forward", 5 * hour],
    ["back", -5 * hour],
  ])("abuse 89: a clock that jumps %s keeps no task with a dead worker", async (_, jump) => {
    const [early, late] = [await addTaskRow(db, "claimed"), await addTaskRow(db, "claimed")];
    // One is already taken for lapsed when the clock jumps.
    await tables(db)
      .updateTable("task")
      .set({ lease_expires_at: databaseTime(db, -1000), expired_at: databaseTime(db, -500) })
      .where("id", "=", early.id)
      .execute();
    await shift(jump);
    const released = [];
    for (let check = 0; check < 4; check += 1) {
      released.push(...(await release()));
      await shift(grace);
    }
    expect(released.toSorted((a, b) => a - b)).toEqual([early.id, late.id]);
  });

  it("abuse 89: forgets a suspicion that the clock's way back has cleared", async () => {
    const task = await addTaskRow(db, "claimed");
    await shift(5 * hour);
    await release();
    await shift(-5 * hour);
    await release();
    expect(await find(task.id)).toMatchObject({ status: "claimed", expired_at: null });
  });

  it.each([
    ["running", "interrupted", "queued"],
    ["preview_ready", "discarded", "queued"],
    ["failed", "failed", "queued"],
    ["publishing", "publishing", "building"],
    [null, null, "queued"],
  ] as const)(
    "takes the task of a dead runner back at once; its run was %s",
    async (run, ends, status) => {
      const task = await addTaskRow(db, "building", { run, claimed_by: "dead" });
      const mine = await addTaskRow(db, "building", { run: "running", claimed_by: "alive" });
      const taken = await releaseTasksOf(options(), ["dead", "gone"], "The runner stopped.");
      expect(taken).toEqual(status === "queued" ? [task.id] : []);
      expect((await find(task.id)).status).toBe(status);
      expect(task.run_id === null ? null : await findStatus(db, task.run_id)).toBe(ends);
      expect(await find(mine.id)).toEqual(mine);
      expect(await releaseTasksOf(options(), [], "x")).toEqual([]);
    },
  );

  it("abuse 90: gives a task up whose workers died three times, and says so", async () => {
    const task = await addTaskRow(db, "building", {
      run: "running",
      attempts: 3,
      claimed_by: "dead",
    });
    await releaseTasksOf(options(), ["dead"], "The runner stopped.");
    const failed = { status: "failed", attempts: 3, error: "Its worker stopped 3 times." };
    expect(await find(task.id)).toMatchObject(failed);
    expect(await tables(db).selectFrom("task_notification").select("kind").execute()).toEqual([
      { kind: "failed" },
    ]);
  });

  it("abuse 87: what a dead worker held is not taken from the one that has it by now", async () => {
    const seen = await addTaskRow(db, "claimed", { claimed_by: "dead" });
    await releaseTasksOf(options(), ["dead"], "The runner stopped.");
    const claim = await next("living");
    const change = { status: "queued", message: "Its runner stopped." } as const;
    const leaving = { change, working: "interrupted", reason: null } as const;
    expect(await leaveRun(options(), seen, leaving)).toBe("overtaken");
    expect(await find(seen.id)).toEqual(claim?.task);
  });

  it("takes a task back once, however many runners look at once", async () => {
    for (let round = 0; round < 15; round += 1) {
      const task = await addTaskRow(db, "building", { run: "running" });
      await shift(leaseMs + 1);
      await release();
      await shift(grace);
      const from = [db, other.db, db, other.db];
      const taken = await Promise.all(from.map((each) => release(each)));
      expect(taken.flat()).toEqual([task.id]);
      expect(await listEvents(db, task.id)).toHaveLength(2);
      expect(await findStatus(db, task.run_id ?? "")).toBe("interrupted");
      await clearTasks(db);
    }
  });

  it("has one outcome when a renewal, a cancel or the end of the work comes with the release", async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      const task = await addTaskRow(db, "building", { run: "running" });
      await shift(leaseMs + 1);
      await release();
      await shift(grace);
      const at = isoTime(clock.now());
      const rivals = [
        () => renewClaim(other.db, key(task.id)),
        () => cancelTask(options(other.db), task.id, "Owner"),
        () => endClaim(other.db, key(task.id), { status: "failed", error: "x" }, at),
      ];
      const rival = rivals[round % 3] ?? release;
      const both = round % 2 === 0 ? [release, rival] : [rival, release];
      const responses = await Promise.all(both.map((act) => act()));
      const [taken, won] = round % 2 === 0 ? responses : responses.toReversed();
      const released = (taken as number[]).length === 1;
      const after = await find(task.id);
      const run = await findStatus(db, task.run_id ?? "");
      const pending = await lockClaim(db, key(task.id));
      outcomes.add(
        `${round % 3}: ${released ? "released" : "kept"} ${after.status} ${run} ${pending}`,
      );
      // A cancelled task is cancelled, whether or not it went through the queue before.
      expect(Boolean(won)).toBe(round % 3 === 1 || !released);
      await clearTasks(db);
    }
    const possible = new Set([
      "0: released queued interrupted false",
      "0: kept building running true",
      "1: released cancelled interrupted false",
      "1: kept cancelled cancelled false",
      "2: released queued interrupted false",
      "2: kept failed running false",
    ]);
    expect([...outcomes].filter((outcome) => !possible.has(outcome))).toEqual([]);
  });

  it("leaves nothing half-done when the database refuses the task's half", async () => {
    const task = await addTaskRow(db, "building", { run: "running", claimed_by: "dead" });
    const trigger =
      dialect === "sqlite"
        ? [
            "create trigger refuse before update on task begin select raise(abort, 'refused'); end",
            "drop trigger refuse",
          ]
        : [
            "alter table task add constraint refuse check (status <> 'queued') not valid",
            "alter table task drop constraint refuse",
          ];
    await sql.raw(trigger[0] ?? "").execute(db);
    try {
      expect(await releaseTasksOf(options(), ["dead"], "The runner stopped.")).toEqual([]);
    } finally {
      await sql.raw(trigger[1] ?? "").execute(db);
    }
    expect(await find(task.id)).toEqual(task);
    expect(await findStatus(db, task.run_id ?? "")).toBe("running");
  });
});

it("looks at short leases with a grace of a second at least", () => {
  const at = (ms: number) => isoTime(ms);
  const task = { lease_ms: 100, lease_expires_at: at(1000), expired_at: at(1100), now: at(2000) };
  expect(leaseStateOf(task)).toBe("waits");
  expect(leaseStateOf({ ...task, now: at(2100) })).toBe("over");
});
