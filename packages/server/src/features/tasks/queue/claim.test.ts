import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import { clearTasks, addTaskRows, sampleTask } from "../../../../../../test/support/queue-tasks.ts";
import { isoTime } from "../../../kit/time.ts";
import { timeOffset } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import {
  startWork,
  type Claim,
  claimNext,
  endClaim,
  type TaskEnd,
  requeue,
  lockClaim,
  renewClaim,
} from "./claim.ts";
import { claimStatement } from "./claim-store.ts";
import { queueTask, type NewTask } from "./queue.ts";
import { listEvents, findTask, type TaskPatch, type TaskRow, tables } from "../store.ts";

const clock = fakeClock();
const at = isoTime(clock.now());
const leaseMs = 60_000;

describe.each(dialects)("claims on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;

  beforeAll(async () => {
    maker = await startDialect(dialect);
    const { database } = await maker.make();
    await migrate({ database, now: clock.now() });
    db = database.db;
  });
  beforeEach(() => clearTasks(db));
  afterAll(() => maker?.close());

  const add = (task: Partial<NewTask> = {}) => queueTask(db, { ...sampleTask, ...task }, at);
  const next = (worker = "worker") => claimNext(db, { worker, leaseMs });
  const find = async (id: number) => (await findTask(db, id)) as TaskRow;
  const put = (id: number, set: TaskPatch) =>
    tables(db).updateTable("task").set(set).where("id", "=", id).execute();
  const types = async (id: number) => (await listEvents(db, id)).map(({ type }) => type);
  const notifications = async () =>
    (await tables(db).selectFrom("task_notification").select("kind").execute()).map(
      ({ kind }) => kind,
    );

  /** Expects that a time lies so many ms after the moment in which it was given, however long that took. */
  function expectAfter(ms: number, from: number, time: string | null | undefined): void {
    const given = Date.parse(time ?? "") - ms;
    expect(given).toBeGreaterThan(from - 10_000);
    expect(given).toBeLessThan(Date.now() + 10_000);
  }

  async function taken(): Promise<Claim> {
    await add();
    const claim = await next();
    if (claim === null) throw new Error("nothing is due");
    return claim;
  }

  /** All that the database holds of tasks. */
  async function everything(): Promise<unknown> {
    const rows = await tables(db).selectFrom("task").selectAll().orderBy("id").execute();
    const events = await tables(db).selectFrom("task_event").selectAll().orderBy("id").execute();
    return { rows, events, notices: await notifications() };
  }

  it("takes the highest priority first, then the oldest, and nothing twice", async () => {
    for (const [title, priority] of [
      ["c", 0],
      ["e", -1],
      ["a", 1],
      ["d", 0],
      ["b", 1],
    ] as const) {
      await add({ title, priority });
    }
    const order = [];
    for (let claim = await next(); claim !== null; claim = await next()) {
      order.push(claim.task.title);
    }
    expect(order).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("gives a lease by the database's clock and a token that is stored only as its hash", async () => {
    await add();
    const from = Date.now();
    const claim = await next("runner-1");
    expect(claim?.task).toMatchObject({
      status: "claimed",
      attempts: 1,
      claimed_by: "runner-1",
      lease_ms: leaseMs,
      started_at: expect.any(String),
    });
    expectAfter(leaseMs, from, claim?.leaseExpiresAt);
    expect(JSON.stringify(await everything())).not.toContain(claim?.token);
  });

  it("passes over what has to wait until then, unless the clock was set back over it", async () => {
    const [waits, due, stranded] = [await add(), await add(), await add()];
    const inMs = (ms: number) => isoTime(Date.now() + ms);
    await put(waits.id, { not_before: inMs(600_000), waiting: "later" });
    await put(due.id, { not_before: inMs(-10_000), waiting: "soon" });
    await put(stranded.id, { not_before: inMs(5 * 3_600_000), waiting: "never?" });
    expect((await next())?.task).toMatchObject({ id: due.id, not_before: null, waiting: null });
    expect((await next())?.taskId).toBe(stranded.id);
    expect(await next()).toBeNull();
  });

  it("finds the next task by its own index among 10,000 that are over", async () => {
    await addTaskRows(db, 10_000, "published");
    await addTaskRows(db, 50);
    if (dialect === "postgres") await sql`vacuum analyze task`.execute(db);
    const leaseOffset = timeOffset(db, leaseMs);
    const query = claimStatement.compile(db, {
      worker: "w",
      hash: "h",
      lease: leaseMs,
      leaseOffset,
    });
    const explain = dialect === "postgres" ? "explain " : "explain query plan ";
    const { rows } = await db.executeQuery<Record<string, string>>({
      ...query,
      sql: explain + query.sql,
    });
    const plan = rows.map((row) => row["QUERY PLAN"] ?? row["detail"]).join("\n");
    expect(plan).toContain("task_queue");
    expect(plan).not.toMatch(
      /Seq Scan|SCAN (task|next)(?! USING INDEX task_queue)|TEMP B-TREE|Sort/,
    );
    expect((await next())?.task.priority).toBe(1);
  });

  it("renews for as long as the lease was given for, also without saying so again", async () => {
    const claim = await taken();
    await put(claim.taskId, { lease_expires_at: at, expired_at: at });
    const from = Date.now();
    const until = await renewClaim(db, claim);
    expectAfter(leaseMs, from, until);
    expect(await find(claim.taskId)).toMatchObject({ lease_expires_at: until, expired_at: null });
  });

  it("abuse 87: what a worker does late, after its task was given to another one, is refused", async () => {
    const late = await taken();
    await requeue(
      db,
      late,
      { reason: "silent", waitMs: 0, counts: true },
      { at, maxAttempts: 3, exhausted: "failed" },
    );
    const successor = await next("heir");
    const before = await everything();
    const endings: TaskEnd[] = [
      { status: "published", commit: "abc" },
      { status: "reverted", error: "x" },
      { status: "failed", error: "x" },
      { status: "needs_review", review: [] },
    ];
    for (const ending of endings) expect(await endClaim(db, late, ending, at)).toBe(false);
    expect(await renewClaim(db, late)).toBeNull();
    expect(await startWork(db, late, "run")).toBe(false);
    expect(await lockClaim(db, late)).toBe(false);
    const giving = { reason: "x", waitMs: 0, counts: true };
    const exhaustion = { at, maxAttempts: 3, exhausted: "failed" } as const;
    expect(await requeue(db, late, giving, exhaustion)).toBeNull();
    for (const token of ["", "x".repeat(10_000), "\0"]) {
      expect(await renewClaim(db, { ...late, token })).toBeNull();
    }
    expect(await everything()).toEqual(before);
    expect(successor !== null && (await lockClaim(db, successor))).toBe(true);
    expect(successor !== null && (await endClaim(db, successor, endings[0] as TaskEnd, at))).toBe(
      true,
    );
    expect(await endClaim(db, successor as Claim, endings[0] as TaskEnd, at)).toBe(false);
  });

  it.each([
    [{ status: "published", commit: "abc" }, { commit_sha: "abc", finished_at: at }, []],
    [{ status: "reverted", error: "no\0" }, { error: "no", finished_at: at }, ["failed"]],
    [{ status: "failed", error: "no\u001B[2J" }, { error: "no[2J", finished_at: at }, ["failed"]],
  ] as [TaskEnd, Partial<TaskRow>, string[]][])("ends as %j", async (ending, row, reported) => {
    const claim = await taken();
    expect(await endClaim(db, claim, ending, at)).toBe(true);
    const { status } = ending;
    const free = { claimed_by: null, claim_hash: null, lease_expires_at: null, expired_at: null };
    expect(await find(claim.taskId)).toMatchObject({ status, ...row, ...free });
    expect(await types(claim.taskId)).toEqual(["created", status]);
    expect(await notifications()).toEqual(reported);
  });

  it("waits for review with the reasons, only after its run has begun", async () => {
    const claim = await taken();
    const review = [
      { kind: "script" as const, message: "It adds\0 a script.", items: ["/a.js\0"] },
    ];
    const ending: TaskEnd = { status: "needs_review", review };
    expect(await endClaim(db, claim, ending, at)).toBe(false);
    await sql`insert into run (id, kind, mode, instruction, status, model, actor, steps,
      input_tokens, output_tokens, files_changed, diff, message, summary, created_at)
      values ('R', 'edit', 'build', '', 'running', '', '', 0, 0, 0, '[]', '[]', '', '', ${at})`.execute(
      db,
    );
    expect(await startWork(db, claim, "R")).toBe(true);
    expect(await startWork(db, claim, "R")).toBe(false);
    expect(await endClaim(db, claim, ending, at)).toBe(true);
    const row = await find(claim.taskId);
    expect(row).toMatchObject({ status: "needs_review", run_id: "R", finished_at: null });
    expect(JSON.parse(row.review)).toEqual([
      { kind: "script", message: "It adds a script.", items: ["/a.js"] },
    ]);
    expect(await notifications()).toEqual(["needs_review"]);
  });

  it("abuse 90: what fails again and again is tried three times, then failed", async () => {
    const { id } = await add();
    const giving = { reason: "The provider is down.", waitMs: 0, counts: true };
    const ends = [];
    for (let claim = await next(); claim !== null; claim = await next()) {
      ends.push(await requeue(db, claim, giving, { at, maxAttempts: 3, exhausted: "failed" }));
    }
    expect(ends).toEqual(["queued", "queued", "failed"]);
    expect(await find(id)).toMatchObject({ attempts: 3, error: giving.reason, finished_at: at });
    expect(await types(id)).toEqual(["created", "requeued", "requeued", "failed"]);
    expect(await notifications()).toEqual(["failed"]);
  });

  it("counts no attempt where a task only had to wait, however often, and says why it waits", async () => {
    const claim = await taken();
    const giving = { reason: "app/src/x has\0 edits", waitMs: 600_000, counts: false };
    const exhaustion = { at, maxAttempts: 1, exhausted: "reverted" } as const;
    const from = Date.now();
    expect(await requeue(db, claim, giving, exhaustion)).toBe("queued");
    const row = await find(claim.taskId);
    expect(row).toMatchObject({ attempts: 0, waiting: "app/src/x has edits", error: null });
    expectAfter(giving.waitMs, from, row.not_before);
    expect(await next()).toBeNull();
  });

  it("leaves no trace of what is rolled back with it", async () => {
    const claim = await taken();
    const before = await everything();
    const work = db.transaction().execute(async (trx) => {
      expect(await endClaim(trx, claim, { status: "failed", error: "x" }, at)).toBe(true);
      throw new Error("killed");
    });
    await expect(work).rejects.toThrow("killed");
    expect(await everything()).toEqual(before);
  });

  it("takes in words with control characters", async () => {
    const task = await add({ title: "a\0b", instruction: "c\0\nd", actor: "e\0" });
    expect(task).toMatchObject({ title: "ab", instruction: "c\nd", actor: "e" });
    expect((await next("w\0"))?.task.claimed_by).toBe("w");
  });
});
