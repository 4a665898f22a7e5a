import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import {
  clearTasks,
  addQueuedRun,
  sampleTask,
} from "../../../../../../test/support/queue-tasks.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { projectSchema } from "../../projects/project.ts";
import { wholeProject } from "../../projects/run-changes/change.ts";
import { putChange } from "../../projects/run-changes/store.ts";
import { insertProject } from "../../projects/store.ts";
import { makeRunEvents } from "../../runs/events.ts";
import { listRunsWithoutNotification } from "../../runs/notifications/store.ts";
import { findStatus, updateRun } from "../../runs/store.ts";
import {
  findTaskProject,
  findRunTask,
  insertRunTask,
  listTaskLeftovers,
} from "../../runs/task-store.ts";
import { approveTask, cancelTask, markPublished, queueTask } from "../queue/queue.ts";
import { endTaskOfRun, followSuccessor, lockApproved } from "./run-hooks-store.ts";
import { listEvents, findTask, type TaskRow, tables } from "../store.ts";

const clock = fakeClock();
const at = isoTime(clock.now());

describe.each(dialects)("tasks and their runs on %s", (dialect) => {
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

  const find = async (id: number) => (await findTask(db, id)) as TaskRow;

  /** A task that waits for review with its run. */
  async function waiting() {
    const runId = await addQueuedRun(db, "preview_ready");
    const { id } = await queueTask(db, sampleTask, at);
    const set = { status: "needs_review", run_id: runId, attempts: 2 } as const;
    await tables(db).updateTable("task").set(set).where("id", "=", id).execute();
    await insertRunTask(db, runId, { id, attempt: 2 });
    return { id, runId };
  }

  it("a task ends with its run; a run of nobody's ends nothing", async () => {
    const { id, runId } = await waiting();
    const other = await waiting();
    await endTaskOfRun(db, { runId, status: "discarded", at });
    await endTaskOfRun(db, { runId: await addQueuedRun(db, "failed"), status: "cancelled", at });
    expect(await find(id)).toMatchObject({ status: "cancelled", finished_at: at });
    expect(await find(other.id)).toMatchObject({ status: "needs_review" });
    expect((await listEvents(db, id)).at(-1)?.type).toBe("cancelled");
  });

  it("a task follows to the run that takes its run's place, and waits for a new approval", async () => {
    const { id, runId } = await waiting();
    await approveTask({ db, clock }, id, "Mira");
    const approved = await find(id);
    expect(await lockApproved(db, approved)).toBe(true);
    const successor = await addQueuedRun(db, "preview_ready");
    await followSuccessor(db, { runId, successor, at });
    await followSuccessor(db, { runId, successor, at });
    const followed = await find(id);
    expect(followed).toMatchObject({
      status: "needs_review",
      run_id: successor,
      approved_at: null,
    });
    const next = await addQueuedRun(db, "preview_ready");
    await followSuccessor(db, { runId: successor, successor: next, at });
    const { review, run_id } = await find(id);
    expect([run_id, review]).toEqual([next, followed.review]);
    expect(JSON.parse(review)).toMatchObject([{ kind: "unchecked" }]);
    expect(await findRunTask(db, successor)).toEqual({ id, attempt: 2 });
    expect(await lockApproved(db, approved)).toBe(false);
  });

  it("a task knows the new project that it asks for, once that is live", async () => {
    const { id, runId } = await waiting();
    expect(await findTaskProject(db, runId)).toEqual({ newProject: null, onlyProjectId: null });
    const set = { kind: "project", project_status: "published" } as const;
    await tables(db).updateTable("task").set(set).where("id", "=", id).execute();
    const isNew = { newProject: "published", onlyProjectId: null };
    expect(await findTaskProject(db, runId)).toEqual(isNew);
    const fields = projectSchema.parse({
      name: "Quay",
      slug: "quay",
      status: "published",
      position: 0,
    });
    const projectId = await insertProject(db, fields, { createdAt: at, updatedAt: at });
    const after = { ...fields, status: "published" } as const;
    const change = {
      record: "new:quay",
      field: wholeProject,
      before: null,
      after,
      changedAt: at,
    } as const;
    await putChange(db, runId, { ...change, projectId });
    await markPublished(db, { runId, commit: "a".repeat(40) }, at);
    expect(await find(id)).toMatchObject({ status: "published", project_id: projectId });
    // Another attempt makes one again: it isn't bound to the project that the first has made.
    expect(await findTaskProject(db, runId)).toEqual(isNew);
  });

  it("one that is being worked on leaves its worker", async () => {
    const { id, runId } = await waiting();
    const pending = { status: "building", claim_hash: "x", claimed_by: "w" } as const;
    await tables(db).updateTable("task").set(pending).where("id", "=", id).execute();
    const successor = await addQueuedRun(db, "preview_ready");
    await followSuccessor(db, { runId, successor, at });
    expect(await find(id)).toMatchObject({
      status: "needs_review",
      run_id: successor,
      claim_hash: null,
      claimed_by: null,
    });
  });

  it("finds what runs of tasks have left, and whose previews are told of by email", async () => {
    const { runId: ready } = await waiting();
    const person = await addQueuedRun(db, "preview_ready");
    const interrupted = await addQueuedRun(db, "interrupted");
    const dropped = await addQueuedRun(db, "discarded");
    const clean = await addQueuedRun(db, "discarded");
    const { id } = await queueTask(db, sampleTask, at);
    for (const runId of [interrupted, dropped, clean]) {
      await insertRunTask(db, runId, { id, attempt: 1 });
    }
    await updateRun(db, dropped, { artifact_sha: "a".repeat(64) });
    await updateRun(db, ready, { artifact_sha: "b".repeat(64) });
    const left = await listTaskLeftovers(db);
    expect(left.map((run) => run.id).toSorted()).toEqual([interrupted, dropped].toSorted());
    expect(await listRunsWithoutNotification(db)).toEqual([person]);
  });

  it("abuse 83: publish, discard and cancel at once: one wins, task and run agree", async () => {
    const events = Array.from({ length: 3 }, () => makeRunEvents({ db, clock }));
    const [publisher, console, web] = events;
    if (!publisher || !console || !web) throw new Error("there are three");
    for (let round = 0; round < 15; round += 1) {
      const { id, runId } = await waiting();
      await approveTask({ db, clock }, id, "Mira");
      const task = await find(id);
      const [publishes, discards, cancels] = await Promise.allSettled([
        publisher.transition(
          runId,
          ["preview_ready"],
          { status: "publishing" },
          [],
          async (trx) => {
            if (!(await lockApproved(trx, task))) throw new Error("overtaken");
          },
        ),
        console.transition(runId, ["preview_ready"], { status: "discarded" }, [], (trx) =>
          endTaskOfRun(trx, { runId, status: "discarded", at }),
        ),
        cancelTask({ db, events: web, clock }, id, "Owner"),
      ]);
      const won = [
        publishes.status === "fulfilled" && publishes.value,
        discards.status === "fulfilled" && discards.value,
        cancels.status === "fulfilled",
      ];
      expect(won.filter(Boolean)).toHaveLength(1);
      expect([await findStatus(db, runId), (await find(id)).status]).toEqual(
        won[0] ? ["publishing", "needs_review"] : ["discarded", "cancelled"],
      );
    }
  });
});
