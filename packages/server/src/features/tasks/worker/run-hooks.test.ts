import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { consoleOf, hang, type RunsConsole } from "../../../../../../test/support/runs-console.ts";
import { type RunsApp, startRunsApp } from "../../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../../test/support/runs-site.ts";
import { tasksOn, type TestTasks } from "../../../../../../test/support/runs-tasks.ts";
import type { AgentContext } from "../../agent/agent.ts";
import { listRunsWithoutNotification } from "../../runs/notifications/store.ts";
import type { Run } from "../../runs/schema.ts";
import { approveTask } from "../queue/queue.ts";
import type { ReviewReason } from "../schema.ts";
import { listEvents } from "../store.ts";

const script: ReviewReason = { kind: "script", message: "It adds a script.", items: ["/about"] };

let app: RunsApp;
let tasks: TestTasks;
let console: RunsConsole;
beforeEach(async () => {
  app = await startRunsApp();
  tasks = tasksOn(app);
  tasks.find(script);
  console = consoleOf(app);
});
afterEach(async () => {
  await tasks.worker.close();
  await app.cleanup();
});

const says = (text: string) =>
  scriptedAgent(async (context) => {
    await writePage(context, "about.html", `<h1>${text}</h1>\n`);
    await context.conversation.save("[]");
    return { summary: `It says ${text}.` };
  });

/** Leaves the page as the live site has it. */
const takesBack = () =>
  scriptedAgent((context) => writePage(context, "about.html", "<h1>About</h1>\n"));

/** A task that waits for review, and its run. */
async function waiting() {
  app.use(says("task"));
  const { id } = await tasks.create();
  const { run_id: runId } = await tasks.settled(id);
  return { id, runId: runId ?? "" };
}

describe("a task's run in the console", () => {
  it("published: so is the task, approved by the owner", async () => {
    const { id, runId } = await waiting();
    expect((await console.run(runId)).task).toEqual({ id, attempt: 1 });
    const { commit } = await console.post("publish", { runId });
    expect(await tasks.get(id)).toMatchObject({ status: "published", commit_sha: commit });
    expect(await app.git("log", "-1", "--format=%B", "main")).toContain(
      `Published-Via: task-queue\nTask: ${id}\nApproved-By: Owner\n`,
    );
  });

  it("discarded: the task is cancelled", async () => {
    const { id, runId } = await waiting();
    await console.post("discard", { runId });
    expect(await tasks.get(id)).toMatchObject({ status: "cancelled", claim_hash: null });
    expect((await tasks.history(id)).at(-1)).toBe("cancelled");
    expect(await tasks.left()).toEqual([]);
  });

  it("stopped: the task is cancelled, and its worker lets go", async () => {
    const entered = Promise.withResolvers<void>();
    app.use(
      scriptedAgent(async (context) => {
        entered.resolve();
        return hang(context);
      }),
    );
    const { id } = await tasks.create();
    await tasks.worker.run();
    await entered.promise;
    const { run_id: runId } = await tasks.get(id);
    await console.post("cancel", { runId });
    await tasks.worker.idle();
    expect(await tasks.get(id)).toMatchObject({ status: "cancelled", claim_hash: null });
    expect(await tasks.left()).toEqual([]);
  });

  it.each(["run", "reapply"] as const)("gone on with (%s): the task follows", async (name) => {
    const { id, runId } = await waiting();
    app.use(says("mine"));
    const body = name === "run" ? { instruction: "More", continues: runId } : { runId };
    const successor: Run = await console.start(name, body);
    expect(successor).toMatchObject({ status: "preview_ready", task: { id, attempt: 1 } });
    const task = await tasks.get(id);
    expect(task).toMatchObject({ status: "needs_review", run_id: successor.id, approved_at: null });
    const unchecked = expect.objectContaining({ kind: "unchecked", items: [] });
    expect(JSON.parse(task.review)).toEqual([unchecked, script]);
    expect((await console.run(runId)).status).toBe("discarded");
    await approveTask({ db: app.db, clock: app.admin.clock }, id, "Mira");
    expect(await tasks.settled(id)).toMatchObject({ status: "published" });
    expect(await tasks.page("about.html")).toBe("<h1>mine</h1>\n");
  });

  it("gone on with after the approval: what was approved is not what goes live", async () => {
    const { id, runId } = await waiting();
    await approveTask({ db: app.db, clock: app.admin.clock }, id, "Mira");
    app.use(says("mine"));
    await console.start("run", { instruction: "More", continues: runId });
    expect(await tasks.settled(id)).toMatchObject({ status: "needs_review", approved_at: null });
    expect(await tasks.page("about.html")).toBe(null);
  });

  it.each([false, true])(
    "gone on with, and all of it taken back (approved: %s): the task is cancelled",
    async (isApproved) => {
      const original = await tasks.page("about.html");
      const { id, runId } = await waiting();
      app.use(says("mine"));
      const changed = await console.start("run", { instruction: "More", continues: runId });
      if (isApproved) await approveTask({ db: app.db, clock: app.admin.clock }, id, "Mira");
      app.use(takesBack());
      const undone = await console.start("run", {
        instruction: "Undo that",
        continues: changed.id,
      });
      expect(undone).toMatchObject({ status: "discarded", task: null });
      expect((await console.run(changed.id)).status).toBe("discarded");
      expect(await tasks.settled(id)).toMatchObject({
        status: "cancelled",
        claim_hash: null,
        approved_at: null,
      });
      expect(await tasks.page("about.html")).toBe(original);
      expect(await tasks.left()).toEqual([]);
    },
  );

  it("taken back at once: the task is cancelled, and says by what", async () => {
    const { id, runId } = await waiting();
    app.use(takesBack());
    await console.start("run", { instruction: "Undo that", continues: runId });
    expect(await tasks.get(id)).toMatchObject({ status: "cancelled" });
    const message = "A follow-up in the console has undone its changes.";
    expect((await listEvents(app.db, id)).at(-1)).toMatchObject({ type: "cancelled", message });
  });

  it("gone on with, and that fails: the task waits as it did", async () => {
    const { id, runId } = await waiting();
    app.use(
      scriptedAgent(async () => {
        throw new Error("x");
      }),
    );
    const successor = await console.start("run", { instruction: "More", continues: runId });
    expect(successor).toMatchObject({ status: "failed", task: null });
    expect(await tasks.get(id)).toMatchObject({ status: "needs_review", run_id: runId });
  });
});

it("a task's preview is not mailed as a person's is, also after a kill", async () => {
  const { runId } = await waiting();
  expect(await listRunsWithoutNotification(app.db)).toEqual([]);
  app.use(says("mine"));
  const { id } = await console.start("run", { instruction: "More", continues: runId });
  expect(await listRunsWithoutNotification(app.db)).toEqual([id]);
});

it("a run that a person takes over while the task is judged leaves the queue with it", async () => {
  const taken = Promise.withResolvers<string>();
  const worker = tasks.workerOf(app.first, {
    async review() {
      const { run_id: runId } = await tasks.get(id);
      app.use(says("mine"));
      const successor = await console.start("run", { instruction: "More", continues: runId });
      taken.resolve(successor.id);
      return [];
    },
  });
  app.use(says("task"));
  const { id } = await tasks.create();
  await worker.run();
  await worker.idle();
  expect(await tasks.get(id)).toMatchObject({
    status: "needs_review",
    run_id: await taken.promise,
    claim_hash: null,
  });
  expect(await tasks.page("about.html")).toBe(null);
  await worker.close();
});

it("a run of a person's has no task, and goes on from none", async () => {
  const runId = await app.edit(
    scriptedAgent((context: AgentContext) => writePage(context, "about.html", "<h1>1</h1>\n")),
  );
  expect((await console.run(runId)).task).toBe(null);
  await console.post("publish", { runId });
  expect(await app.git("log", "-1", "--format=%B", "main")).not.toContain("Published-Via");
});
