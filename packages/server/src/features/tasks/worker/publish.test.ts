import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { type RunsApp, startRunsApp } from "../../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../../test/support/runs-site.ts";
import { tasksOn, type TestTasks } from "../../../../../../test/support/runs-tasks.ts";
import { openPublishLock } from "../../release/current-symlink.ts";
import type { PublishStep } from "../../release/finalize.ts";
import type { TaskWorker } from "./task-worker.ts";
import { approveTask } from "../queue/queue.ts";

let app: RunsApp;
let tasks: TestTasks;
let later: TaskWorker | undefined;
afterEach(async () => {
  await later?.close();
  await app.cleanup();
});

/** An app whose first process stops dead after this step of its first publish. */
async function dyingAt(step: PublishStep) {
  const reached = Promise.withResolvers<void>();
  app = await startRunsApp({
    publishing: {
      async onStep(name) {
        if (name !== step) return;
        reached.resolve();
        // Nothing more is ever done, as if the process were gone.
        await new Promise(() => {});
      },
    },
  });
  tasks = tasksOn(app);
  const write = (at: number) => (context: { root: string }) =>
    writePage(context as never, "about.html", `<h1>${at}</h1>\n`);
  app.use(scriptedAgent(write(1), write(2)));
  return { dies: reached.promise };
}

/** The next process on the same instance, once it has settled what the first one left. */
async function reboot(): Promise<TaskWorker> {
  const next = app.another();
  app.first.die();
  await next.publisher.recover();
  await next.runs.recover();
  const worker = tasks.workerOf(next);
  await worker.recover([app.first.runnerId]);
  return (later = worker);
}

describe("a runner that is taken for dead as it begins to publish", () => {
  /** The first runner's publish, before which another one has settled what is left of it. */
  async function suspended() {
    let times = 0;
    app = await startRunsApp({
      publishing: {
        async onStep(name) {
          if (name === "checked" && (times += 1) === 1) await app.another().runs.recoverAbandoned();
        },
      },
    });
    tasks = tasksOn(app);
    const write = (at: number) => (context: { root: string }) =>
      writePage(context as never, "about.html", `<h1>${at}</h1>\n`);
    app.use(scriptedAgent(write(1), write(2)));
  }

  it("leaves its task to whoever takes it back: that is not the task's fault", async () => {
    await suspended();
    const { id } = await tasks.create();
    expect(await tasks.settled(id)).toMatchObject({ status: "building", error: null });
    await tasks.worker.recover([app.first.runnerId]);
    expect(await tasks.get(id)).toMatchObject({ status: "queued", attempts: 1 });
    expect(await tasks.left()).toEqual([]);
    await tasks.settled(id);
    expect(await reported(id)).toEqual({ ...live, attempt: 2, page: "<h1>2</h1>\n" });
  });

  it("leaves what was approved approved", async () => {
    await suspended();
    tasks.find({ kind: "script", message: "A script.", items: [] });
    const { id } = await tasks.create();
    await tasks.settled(id);
    await approveTask({ db: app.db, clock: app.admin.clock }, id, "Mira");
    await tasks.settled(id);
    expect(await tasks.get(id)).toMatchObject({ status: "needs_review", approved_by: "Mira" });
    await tasks.settled(id);
    expect(await reported(id)).toEqual(live);
  });
});

describe("a shutdown as a task is published", () => {
  const commitByHand = async () => {
    await writeFile(join(app.paths.content, "app/src/pages/index.html"), "<h1>By hand</h1>\n");
    const author = ["-c", "user.name=O", "-c", "user.email=o@example.com"];
    await app.git(...author, "commit", "-qam", "By hand");
  };

  /** Keeps the publish of an app of its own from going on, behind another publish or in a build. */
  async function stoppedBy(what: "another publish" | "a build") {
    app = await startRunsApp();
    tasks = tasksOn(app);
    app.use(scriptedAgent((context) => writePage(context, "about.html", "<h1>1</h1>\n")));
    const free = Promise.withResolvers<void>();
    const waits = Promise.withResolvers<void>();
    const lock = openPublishLock(app.paths);
    const inTheWay = async () => {
      if (what === "another publish") void lock.run(() => free.promise);
      else await commitByHand();
      app.builder.before = async ({ signal }) => {
        waits.resolve();
        await new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
      };
    };
    const release = () => {
      app.builder.before = async () => {};
      free.resolve();
    };
    const publishing = async (id: number) => {
      const { run_id: runId } = await tasks.get(id);
      expect(await app.runs.get(runId ?? "")).toMatchObject({ status: "publishing" });
    };
    const reached = async (id: number) => {
      if (what === "a build") return waits.promise;
      await eventually(() => publishing(id));
    };
    return { inTheWay, reached, release, close: () => lock.close() };
  }

  it.each(["another publish", "a build"] as const)(
    "behind %s: it goes back at once, as no attempt",
    async (what) => {
      const { inTheWay, reached, release, close } = await stoppedBy(what);
      const worker = tasks.workerOf(app.first, {
        async review() {
          await inTheWay();
          return [];
        },
      });
      const { id } = await tasks.create();
      await worker.run();
      await reached(id);
      await worker.close();
      expect(await tasks.get(id)).toMatchObject({
        status: "queued",
        attempts: 0,
        not_before: null,
      });
      expect([await tasks.left(), await tasks.changelog()]).toEqual([[], []]);
      release();
      close();
    },
  );

  it.each(["another publish", "a build"] as const)(
    "behind %s: what a person has approved stays so, and is live after the boot",
    async (what) => {
      const { inTheWay, reached, release, close } = await stoppedBy(what);
      tasks.find({ kind: "script", message: "A script.", items: [] });
      const { id } = await tasks.create();
      await tasks.settled(id);
      await inTheWay();
      await approveTask({ db: app.db, clock: app.admin.clock }, id, "Mira");
      tasks.worker.wake();
      await reached(id);
      await tasks.worker.close();
      expect(await tasks.get(id)).toMatchObject({ status: "needs_review", approved_by: "Mira" });
      release();
      const worker = await reboot();
      worker.wake();
      await worker.idle();
      expect(await tasks.get(id)).toMatchObject({ status: "published", error: null });
      expect(await tasks.page("about.html")).toBe("<h1>1</h1>\n");
      close();
    },
  );
});

/** What task, run, site, history and changelog tell of a task that is live. */
async function reported(id: number) {
  const task = await tasks.get(id);
  const run = await app.runs.get(task.run_id ?? "");
  const head = (await app.git("rev-parse", "main")).trim();
  expect([task.commit_sha, run.commit, task.claim_hash]).toEqual([head, head, null]);
  return {
    task: task.status,
    run: run.status,
    attempt: run.task?.attempt,
    page: await tasks.page("about.html"),
    commits: (await app.git("rev-list", "--count", "main")).trim(),
    byHand: await app.git("status", "--porcelain"),
    entries: (await tasks.changelog()).length,
    publishes: (await tasks.history(id)).filter((name) => name === "published").length,
  };
}

const live = {
  task: "published",
  run: "published",
  attempt: 1,
  page: "<h1>1</h1>\n",
  commits: "2",
  byHand: "",
  entries: 1,
  publishes: 1,
};

describe("abuse 84: a runner that dies as it publishes a task", () => {
  it.each<PublishStep>(["checked", "intent", "commit", "ready"])(
    "before main has moved (%s): the task goes back, and is done anew",
    async (step) => {
      const { dies } = await dyingAt(step);
      const { id } = await tasks.create();
      await tasks.worker.run();
      await dies;
      const worker = await reboot();
      expect(await tasks.get(id)).toMatchObject({ status: "queued", attempts: 1 });
      expect(await tasks.left()).toEqual([]);
      expect(await tasks.page("about.html")).toBe(null);
      expect(await tasks.changelog()).toEqual([]);
      await worker.run();
      await worker.idle();
      expect(await reported(id)).toEqual({ ...live, attempt: 2, page: "<h1>2</h1>\n" });
    },
  );

  it.each<PublishStep>(["moved", "content", "released", "recorded"])(
    "abuse 85: once main has moved (%s): it is completed at boot, with its task",
    async (step) => {
      const { dies } = await dyingAt(step);
      const { id } = await tasks.create();
      await tasks.worker.run();
      await dies;
      const worker = await reboot();
      expect(await reported(id)).toEqual(live);
      await worker.run();
      await worker.idle();
      expect(await reported(id)).toEqual(live);
    },
  );

  it.each<PublishStep>(["ready", "released"])(
    "as it publishes what a person has approved (%s): it is live after the boot",
    async (step) => {
      const { dies } = await dyingAt(step);
      tasks.find({ kind: "script", message: "A script.", items: [] });
      const { id } = await tasks.create();
      expect(await tasks.settled(id)).toMatchObject({ status: "needs_review" });
      await approveTask({ db: app.db, clock: app.admin.clock }, id, "Mira");
      tasks.worker.wake();
      await dies;
      const worker = await reboot();
      worker.wake();
      await worker.idle();
      expect(await reported(id)).toEqual(live);
      expect(await app.git("log", "-1", "--format=%B", "main")).toContain("Approved-By: Mira\n");
    },
  );
});
