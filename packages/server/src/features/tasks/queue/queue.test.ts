import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import {
  clearTasks,
  addTaskRow,
  makeEffects,
  sampleTask,
} from "../../../../../../test/support/queue-tasks.ts";
import type { EffectTables } from "../../../../../../test/support/queue-tasks.ts";
import type { WorkerOptions } from "../../../../../../test/support/queue-worker.ts";
import { systemClock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import { type Database, type Db, openDatabase } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { platformRoot } from "../../../platform/paths.ts";
import { makeRunEvents, type RunEvents } from "../../runs/events.ts";
import { findStatus } from "../../runs/store.ts";
import { endClaim, lockClaim } from "./claim.ts";
import {
  approveTask,
  cancelTask,
  queueTask,
  refuseApproval,
  retryTask,
  markPublished,
} from "./queue.ts";
import { listApprovedTasks, listEvents, findTask, tables } from "../store.ts";

const clock = systemClock;
const now = () => isoTime(clock.now());
const worker = join(platformRoot, "test/support/queue-worker.ts");

describe.each(dialects)("the queue on %s", (dialect) => {
  let maker: DatabaseMaker;
  let made: Awaited<ReturnType<DatabaseMaker["make"]>>;
  let db: Db;
  let events: RunEvents;
  /** The same database as another process sees it, as far as one process can. */
  let other: Database;

  beforeAll(async () => {
    maker = await startDialect(dialect);
    made = await maker.make();
    ({ db } = made.database);
    await migrate({ database: made.database, now: clock.now() });
    await makeEffects(made.database);
    // Within one process two connections to a SQLite file can't wait for each other.
    other = dialect === "sqlite" ? made.database : openDatabase(made.address);
    events = makeRunEvents({ db, clock });
  });
  beforeEach(() => clearTasks(db));
  afterAll(async () => {
    await other?.close();
    await maker?.close();
  });

  const deps = () => ({ db, events, clock });
  const types = async (id: number) => (await listEvents(db, id)).map(({ type }) => type);
  const runOf = async (id: string | null) => (id === null ? null : findStatus(db, id));
  const key = (taskId: number) => ({ taskId, token: "token" });
  const report = (error: unknown) => {
    const { code, details } = error as { code: string; details: unknown };
    return { code, details };
  };

  it("takes a task in with its first event, and with nothing when the transaction fails", async () => {
    const task = await queueTask(db, { ...sampleTask, attachments: [3, 4] }, now());
    expect(task).toMatchObject({ status: "queued", attempts: 0, attachments: "[3,4]" });
    expect(await listEvents(db, task.id)).toMatchObject([{ type: "created", message: "Owner" }]);
    const broken = db.transaction().execute(async (trx) => {
      await queueTask(trx, sampleTask, now());
      throw new Error("no");
    });
    await expect(broken).rejects.toThrow("no");
    expect(await tables(db).selectFrom("task_event").selectAll().execute()).toHaveLength(1);
  });

  it.each([
    ["queued", null, null],
    ["claimed", null, null],
    ["building", "queued", "cancelled"],
    ["building", "running", "cancelled"],
    ["building", "building", "cancelled"],
    ["building", "preview_ready", "discarded"],
    ["building", "failed", "failed"],
    ["building", null, null],
    ["needs_review", "preview_ready", "discarded"],
    ["needs_review", "discarded", "discarded"],
  ] as const)("cancels what is %s, with a run that is %s", async (status, run, after) => {
    const task = await addTaskRow(db, status, { run });
    const done = await cancelTask(deps(), task.id, "Owner\0");
    expect(done).toMatchObject({ status: "cancelled", claim_hash: null, claimed_by: null });
    expect(done.finished_at).not.toBeNull();
    expect(await runOf(task.run_id)).toBe(after);
    expect(await types(task.id)).toEqual(["created", "cancelled"]);
    expect(await lockClaim(db, key(task.id))).toBe(false);
    expect(await tables(db).selectFrom("task_notification").selectAll().execute()).toEqual([]);
  });

  it.each([
    ["building", "publishing"],
    ["needs_review", "publishing"],
    ["building", "published"],
    ["published", "published"],
    ["reverted", "failed"],
    ["failed", null],
    ["cancelled", "cancelled"],
  ] as const)("doesn't cancel what is %s, with a run that is %s", async (status, run) => {
    const task = await addTaskRow(db, status, { run });
    const refusal = await cancelTask(deps(), task.id, "Owner").catch(report);
    expect(refusal).toEqual({ code: "invalid_state", details: { status } });
    expect(await findTask(db, task.id)).toEqual(task);
    expect(await runOf(task.run_id)).toBe(run);
    expect(await types(task.id)).toEqual(["created"]);
  });

  it.each([
    ["reverted", "failed", "failed"],
    ["failed", "interrupted", "interrupted"],
    ["cancelled", null, null],
    ["needs_review", "preview_ready", "discarded"],
  ] as const)("queues again what is %s, with a run that is %s", async (status, run, after) => {
    const task = await addTaskRow(db, status, {
      run,
      attempts: 3,
      error: "x",
      review: '[{"kind":"size","message":"","items":[]}]',
      approved_at: now(),
      approved_by: "Owner",
    });
    expect(await retryTask(deps(), task.id, "Owner")).toMatchObject({
      status: "queued",
      attempts: 0,
      error: null,
      review: "[]",
      approved_at: null,
      finished_at: null,
    });
    expect(await runOf(task.run_id)).toBe(after);
    expect(await types(task.id)).toEqual(["created", "retried"]);
  });

  it.each([
    ["queued", null],
    ["claimed", null],
    ["building", "running"],
    ["published", "published"],
    ["needs_review", "publishing"],
  ] as const)("doesn't queue again what is %s, with a run that is %s", async (status, run) => {
    const task = await addTaskRow(db, status, { run });
    const refusal = await retryTask(deps(), task.id, "Owner").catch(report);
    expect(refusal).toEqual({ code: "invalid_state", details: { status } });
    expect(await findTask(db, task.id)).toEqual(task);
  });

  it("knows no task that isn't there", async () => {
    for (const act of [cancelTask, retryTask, approveTask]) {
      expect(await act(deps(), 4711, "Owner").catch(report)).toMatchObject({ code: "not_found" });
    }
  });

  it("notes an approval once, takes it back with the reason, and takes another one", async () => {
    const task = await addTaskRow(db, "needs_review", { run: "preview_ready" });
    const second = await addTaskRow(db, "needs_review", { run: "preview_ready" });
    const approved = await approveTask(deps(), task.id, "Ann\0");
    expect(approved).toMatchObject({ status: "needs_review", approved_by: "Ann" });
    expect(await approveTask(deps(), task.id, "Bob")).toEqual(approved);
    await approveTask(deps(), second.id, "Ann");
    expect((await listApprovedTasks(db)).map(({ id }) => id)).toEqual([task.id, second.id]);
    await refuseApproval(db, task.id, "main has moved:\0\na.astro", now());
    await refuseApproval(db, task.id, "again", now());
    expect((await listApprovedTasks(db)).map(({ id }) => id)).toEqual([second.id]);
    const refused = { approved_at: null, approved_by: null, error: "main has moved:\na.astro" };
    expect(await findTask(db, task.id)).toMatchObject({ status: "needs_review", ...refused });
    expect(await approveTask(deps(), task.id, "Ann")).toMatchObject({ error: null });
    expect(await types(task.id)).toEqual(["created", "approved", "refused", "approved"]);
  });

  it("approves nothing that doesn't wait for it", async () => {
    for (const status of ["queued", "claimed", "published", "cancelled"] as const) {
      const task = await addTaskRow(db, status);
      const refusal = await approveTask(deps(), task.id, "Owner").catch(report);
      expect(refusal).toEqual({ code: "invalid_state", details: { status } });
    }
  });

  it.each(["building", "needs_review"] as const)(
    "is published from %s with its run, whoever asked for it, and then out of its worker's hands",
    async (status) => {
      const task = await addTaskRow(db, status, { run: "publishing", approved_at: now() });
      const bystander = await addTaskRow(db, "building", { run: "running" });
      await markPublished(db, { runId: task.run_id ?? "", commit: "abc" }, now());
      await markPublished(db, { runId: "unknown", commit: "abc" }, now());
      const done = { status: "published", commit_sha: "abc", claim_hash: null, approved_at: null };
      expect(await findTask(db, task.id)).toMatchObject(done);
      expect(await findTask(db, bystander.id)).toEqual(bystander);
      expect(await endClaim(db, key(task.id), { status: "failed", error: "x" }, now())).toBe(false);
      expect(await types(task.id)).toEqual(["created", "published"]);
    },
  );

  it("abuse 88: a cancel against a claim and the end of the work has one outcome", async () => {
    const options: WorkerOptions = {
      name: "worker",
      address: made.address,
      leaseMs: 60_000,
      maxAttempts: 3,
      workMs: 4,
      forever: true,
    };
    const child = spawn(process.execPath, [worker, JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const outcomes = { cancelled: 0, published: 0 };
    try {
      // As long as the worker takes, on any machine: so most rounds are close.
      let wait = 1;
      for (let round = 0; round < 80; round += 1) {
        const { id } = await queueTask(db, sampleTask, now());
        await delay(wait);
        const response = await cancelTask(deps(), id, "Owner").catch(report);
        const refused = "code" in response;
        const status = refused ? "published" : "cancelled";
        expect(response).toMatchObject(
          refused ? { code: "invalid_state", details: { status } } : { status },
        );
        outcomes[status] += 1;
        wait = refused ? wait / 2 : wait * 1.5 + 1;
        expect(await types(id)).toEqual(["created", status]);
        const effects = await db
          .withTables<EffectTables>()
          .selectFrom("effect")
          .selectAll()
          .where("task_id", "=", id)
          .execute();
        expect(effects).toHaveLength(refused ? 1 : 0);
        expect(await findTask(db, id)).toMatchObject({ status, claim_hash: null });
      }
    } finally {
      child.kill("SIGKILL");
      await once(child, "close");
    }
    // Else one of the two has always been first, and nothing was tried.
    expect(outcomes.cancelled).toBeGreaterThan(5);
    expect(outcomes.published).toBeGreaterThan(5);
  });

  it("has one outcome when a task is approved, cancelled, retried and published at once", async () => {
    const far = makeRunEvents({ db: other.db, clock });
    for (let round = 0; round < 30; round += 1) {
      const task = await addTaskRow(db, "needs_review", { run: "preview_ready" });
      const runId = task.run_id ?? "";
      const publish = async () => {
        if (!(await far.transition(runId, ["preview_ready"], { status: "publishing" }))) return;
        await far.transition(runId, ["publishing"], { status: "published" }, [], (trx) =>
          markPublished(trx, { runId, commit: "abc" }, now()),
        );
      };
      const acts = [
        () => cancelTask(deps(), task.id, "Owner"),
        () => retryTask({ db: other.db, events: far, clock }, task.id, "Owner"),
        () => approveTask({ db: other.db, clock }, task.id, "Owner"),
        publish,
      ];
      const turned = [...acts.slice(round % 4), ...acts.slice(0, round % 4)];
      const results = await Promise.allSettled(turned.map((act) => act()));
      const errorResponses = results.flatMap((result) =>
        result.status === "rejected" ? [report(result.reason).code] : [],
      );
      expect(errorResponses.filter((code) => code !== "invalid_state")).toEqual([]);
      const after = await findTask(db, task.id);
      const run = await findStatus(db, runId);
      const reply = (await types(task.id)).filter((type) => type !== "approved").slice(1);
      // A cancelled task may be queued again at once; every other end is the only one.
      const possible = [
        { status: "published", run: "published", said: ["published"] },
        { status: "cancelled", run: "discarded", said: ["cancelled"] },
        { status: "queued", run: "discarded", said: ["retried"] },
        { status: "queued", run: "discarded", said: ["cancelled", "retried"] },
        { status: "cancelled", run: "discarded", said: ["retried", "cancelled"] },
      ];
      expect(possible).toContainEqual({ status: after?.status, run, said: reply });
    }
  });
});
