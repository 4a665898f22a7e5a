import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { type ModelServer, startModelServer } from "../../../../../../test/support/model-server.ts";
import { hang } from "../../../../../../test/support/runs-console.ts";
import { type RunsApp, startRunsApp } from "../../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../../test/support/runs-site.ts";
import { tasksOn, type TestTasks } from "../../../../../../test/support/runs-tasks.ts";
import type { AgentContext } from "../../agent/agent.ts";
import { makeEditor } from "../../agent/model.ts";
import { defaultLimits } from "../../../platform/config.ts";
import { claimNext, requeue } from "../queue/claim.ts";
import { hashOf } from "../queue/claim-store.ts";
import type { TaskWorker } from "./task-worker.ts";
import { cancelTask, retryTask } from "../queue/queue.ts";
import type { TaskStatus } from "../schema.ts";

let app: RunsApp;
let tasks: TestTasks;
beforeEach(async () => {
  app = await startRunsApp({ parallel: 2 });
  tasks = tasksOn(app);
});
afterEach(async () => {
  await tasks.worker.close();
  await app.cleanup();
});

const main = () => app.git("rev-parse", "main");
const users = () => ({ db: app.db, events: app.another().events, clock: app.admin.clock });

/** An agent that writes half a page and then waits to be stopped. */
function hanging() {
  const entered = Promise.withResolvers<void>();
  const agent = scriptedAgent(
    ...Array.from({ length: 3 }, () => async (context: AgentContext) => {
      await writePage(context, "about.html", "<h1>Half</h1>\n");
      entered.resolve();
      return hang(context);
    }),
  );
  return { agent, entered: entered.promise };
}

/** All that a task may change when it comes to nothing. */
async function world() {
  const [head, status, left, page] = await Promise.all([
    main(),
    app.git("status", "--porcelain"),
    tasks.left(),
    tasks.page("about.html"),
  ]);
  return { head, status, left, page };
}

describe("cancelled by another process", () => {
  let server: ModelServer | undefined;
  afterEach(() => server?.close());

  /** Cancels the task as the web process does: in the database alone; then it wakes the runner. */
  async function cancelled(id: number) {
    await cancelTask(users(), id, "Owner");
    tasks.worker.wake();
    await tasks.worker.idle();
    const task = await tasks.get(id);
    expect(task).toMatchObject({ status: "cancelled", claim_hash: null });
    expect(await app.runs.get(task.run_id ?? "")).toMatchObject({ status: "cancelled" });
  }

  it("while the model speaks: its connection is closed, nothing is left", async () => {
    const before = await world();
    server = await startModelServer([{ hang: true, text: "I will" }]);
    app.use(
      makeEditor({
        config: { provider: "openai-compatible", id: "m", baseUrl: server.url },
        apiKey: null,
        abilities: null,
        from: "file",
      }),
    );
    const { id } = await tasks.create();
    await tasks.worker.run();
    await eventually(() => expect(server?.requests).toHaveLength(1));
    await cancelled(id);
    await eventually(() => expect(server?.left()).toBe(1));
    expect(await world()).toEqual(before);
  });

  it("while a tool runs", async () => {
    const before = await world();
    const { agent, entered } = hanging();
    app.use(agent);
    const { id } = await tasks.create();
    await tasks.worker.run();
    await entered;
    await cancelled(id);
    expect(await world()).toEqual(before);
  });

  it("while it is built", async () => {
    const before = await world();
    const building = Promise.withResolvers<void>();
    app.builder.before = async ({ signal }) => {
      building.resolve();
      await new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
    };
    app.use(scriptedAgent((context) => writePage(context, "about.html", "<h1>New</h1>\n")));
    const { id } = await tasks.create();
    await tasks.worker.run();
    await building.promise;
    await cancelled(id);
    expect(await world()).toEqual(before);
  });

  it("while it is looked into: its preview is discarded", async () => {
    const before = await world();
    const checking = Promise.withResolvers<void>();
    const worker = tasks.workerOf(app.first, {
      async review({ signal }) {
        checking.resolve();
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        throw signal.reason;
      },
    });
    app.use(scriptedAgent((context) => writePage(context, "about.html", "<h1>New</h1>\n")));
    const { id } = await tasks.create();
    await worker.run();
    // Were it never reached, the task would say why.
    const ended = worker.idle().then(async () => ({ review: await tasks.get(id) }));
    expect(await Promise.race([checking.promise, ended])).toBeUndefined();
    await cancelTask(users(), id, "Owner");
    worker.wake();
    await worker.idle();
    const task = await tasks.get(id);
    expect(task.status).toBe("cancelled");
    expect(await app.runs.get(task.run_id ?? "")).toMatchObject({ status: "discarded" });
    expect(await world()).toEqual(before);
    await worker.close();
  });

  it("before its turn among the runs: it does not wait for that", async () => {
    const first = hanging();
    app.use(first.agent);
    await app.runs.start({ instruction: "a person's" });
    await app.runs.start({ instruction: "another" });
    const { id } = await tasks.create();
    await tasks.worker.run();
    await eventually(async () => expect((await tasks.get(id)).status).toBe("building"));
    await cancelled(id);
    expect((await app.runs.list({ page: 1, perPage: 9, status: "running" })).total).toBe(2);
  });
});

describe("abuse 87: a claim that is lost", () => {
  /** Another worker has the task by now. */
  const steal = (id: number) => tasks.set(id, { claim_hash: hashOf("another") });

  it("before the publish: the late worker changes nothing", async () => {
    const before = await world();
    const worker = tasks.workerOf(app.first, {
      pollMs: 60_000,
      async review() {
        await steal(id);
        return [];
      },
    });
    app.use(scriptedAgent((context) => writePage(context, "about.html", "<h1>Late</h1>\n")));
    const { id } = await tasks.create();
    await worker.run();
    await worker.idle();
    const task = await tasks.get(id);
    expect(task).toMatchObject({ status: "building", claim_hash: hashOf("another") });
    expect(await app.runs.get(task.run_id ?? "")).toMatchObject({ status: "preview_ready" });
    expect(await main()).toBe(before.head);
    expect(await tasks.page("about.html")).toBe(null);
    await worker.close();
  });

  it.each(["needs_review", "reverted"] as const)("before it is %s: likewise", async (end) => {
    const worker = tasks.workerOf(app.first, {
      pollMs: 60_000,
      async review() {
        await steal(id);
        return [{ kind: "script" as const, message: "A script.", items: [] }];
      },
    });
    app.use(
      scriptedAgent(async (context) => {
        if (end === "reverted") return steal(id);
        await writePage(context, "about.html", "<h1>Late</h1>\n");
      }),
    );
    const { id } = await tasks.create();
    await worker.run();
    await worker.idle();
    expect(await tasks.get(id)).toMatchObject({
      status: "building",
      claim_hash: hashOf("another"),
      error: null,
    });
    expect(await tasks.history(id)).toEqual(["created"]);
    await worker.close();
  });

  it("while the agent works: it is stopped", async () => {
    const { agent, entered } = hanging();
    app.use(agent);
    const { id } = await tasks.create();
    await tasks.worker.run();
    await entered;
    await steal(id);
    await tasks.worker.idle();
    expect(await tasks.get(id)).toMatchObject({ claim_hash: hashOf("another") });
  });

  it("before its run begins: none is begun", async () => {
    await app.cleanup();
    let id = 0;
    app = await startRunsApp({
      dependencies: {
        ledger: {
          book: async () => {},
          assertOpen: () => steal(id),
          ceilings: async () => {
            throw new Error("not asked");
          },
          spent: async () => {
            throw new Error("not asked");
          },
        },
      },
    });
    tasks = tasksOn(app);
    app.use(scriptedAgent());
    ({ id } = await tasks.create());
    await tasks.settled(id);
    expect(await tasks.get(id)).toMatchObject({ status: "claimed", run_id: null });
    expect((await app.runs.list({ page: 1, perPage: 1 })).total).toBe(0);
  });
});

describe("a run of the queue that somebody asks for", () => {
  it("takes up what waits for another attempt, once", async () => {
    const { agent, entered } = hanging();
    app.use(agent);
    const { id } = await tasks.create();
    const claim = await claimNext(app.db, { worker: "outside", leaseMs: 60_000 });
    if (claim === null) throw new Error("nothing was claimed");
    const wait = { reason: "The model is busy.", waitMs: 60 * 60_000, counts: false };
    const at = new Date(app.admin.clock.now()).toISOString();
    await requeue(app.db, claim, wait, { at, maxAttempts: 3, exhausted: "failed" });
    const { worker } = tasks;
    worker.wake();
    await worker.idle();
    expect(await tasks.get(id)).toMatchObject({ status: "queued", waiting: wait.reason });
    await worker.run();
    await entered;
    expect(await tasks.get(id)).toMatchObject({
      status: "building",
      not_before: null,
      waiting: null,
    });
  });
});

describe("a shutdown", () => {
  it("gives back what is under way: no attempt, nothing left", async () => {
    const before = await world();
    const { agent, entered } = hanging();
    app.use(agent);
    const { id } = await tasks.create();
    const waits = await tasks.create();
    await tasks.worker.run();
    await entered;
    await tasks.worker.close();
    const task = await tasks.get(id);
    expect(task).toMatchObject({
      status: "queued",
      attempts: 0,
      claim_hash: null,
      not_before: null,
    });
    expect(await tasks.get(waits.id)).toMatchObject({ status: "queued", attempts: 0 });
    expect(await app.runs.get(task.run_id ?? "")).toMatchObject({ status: "discarded" });
    expect(await world()).toEqual(before);
  });

  it("gives back what is being claimed at that moment", async () => {
    app.use(scriptedAgent());
    const { id } = await tasks.create();
    const requested = Promise.withResolvers<void>();
    const worker = tasks.workerOf(app.first, {
      async paused() {
        requested.resolve();
        return false;
      },
    });
    worker.start();
    await requested.promise;
    await worker.close();
    expect(await tasks.get(id)).toMatchObject({ status: "queued", attempts: 0, run_id: null });
    expect((await app.runs.list({ page: 1, perPage: 1 })).total).toBe(0);
  });

  it("does not wait for the runs of people before one", async () => {
    const first = hanging();
    app.use(first.agent);
    await app.runs.start({ instruction: "a person's" });
    await app.runs.start({ instruction: "another" });
    const { id } = await tasks.create();
    await tasks.worker.run();
    await eventually(async () => expect((await tasks.get(id)).status).toBe("building"));
    await tasks.worker.close();
    expect(await tasks.get(id)).toMatchObject({ status: "queued", attempts: 0 });
  });
});

describe("after a death", () => {
  /** A drain that takes nothing up any more once it is dead; its runner's run is as it was. */
  function mortal(runner = app.first) {
    let dead = false;
    const worker: TaskWorker = tasks.workerOf(runner, { paused: async () => dead });
    const { agent, entered } = hanging();
    return {
      drain: worker,
      async failWhileWorking() {
        app.use(agent);
        worker.start();
        await entered;
        dead = true;
      },
    };
  }

  it("what a dead runner held goes back: its run is over, nothing of it is left", async () => {
    const before = await world();
    const first = mortal();
    const { id } = await tasks.create();
    await first.failWhileWorking();
    const later = app.another();
    const worker = tasks.workerOf(later);
    await later.runs.recover();
    await worker.recover([app.first.runnerId]);
    const task = await tasks.get(id);
    expect(task).toMatchObject({ status: "queued", attempts: 1, claim_hash: null });
    // The dead one's worker lives in this process: it is told as it would be by the database.
    await first.drain.close();
    await worker.recover([]);
    expect(await app.runs.get(task.run_id ?? "")).toMatchObject({ status: "discarded" });
    expect(await world()).toEqual(before);
    app.use(scriptedAgent((context) => writePage(context, "about.html", "<h1>New</h1>\n")));
    await worker.run();
    await worker.idle();
    expect(await tasks.get(id)).toMatchObject({ status: "published", attempts: 2 });
    await worker.close();
  });

  it.each<[TaskStatus, number]>([
    ["queued", 1],
    ["failed", 3],
  ])("a task that kills its worker is %s after attempt %i", async (status, deaths) => {
    const { id } = await tasks.create();
    for (let death = 1; death <= deaths; death += 1) {
      const runner = app.another();
      const { drain: worker, failWhileWorking: dieAtWork } = mortal(runner);
      await dieAtWork();
      await tasks.worker.recover([runner.runnerId]);
      await worker.close();
    }
    await tasks.worker.recover([]);
    expect(await tasks.get(id)).toMatchObject({ status, attempts: deaths });
    expect(await tasks.left()).toEqual([]);
  });
});

describe("two drains on one database", () => {
  it("share the queue: each task is done once", async () => {
    const agents = Array.from({ length: 4 }, (_, at) => async (context: AgentContext) => {
      await writePage(context, `page-${at}.html`, `<h1>${at}</h1>\n`);
    });
    app.use(scriptedAgent(...agents));
    const ids: number[] = [];
    for (let at = 0; at < 4; at += 1) ids.push((await tasks.create()).id);
    const other = app.another();
    const workers = [tasks.worker, tasks.workerOf(other)];
    await Promise.all(workers.map((worker) => worker.run()));
    await Promise.all(workers.map((worker) => worker.idle()));
    for (const id of ids) {
      expect(await tasks.get(id)).toMatchObject({
        status: "published",
        attempts: 1,
        error: null,
        waiting: null,
      });
    }
    expect(await app.git("rev-list", "--count", "main")).toBe("5\n");
    expect(await tasks.changelog()).toHaveLength(4);
    await workers[1]?.close();
  });
});

describe("a task that is cancelled and queued again at once", () => {
  it("is taken up while its first attempt still ends, and given back with the rest", async () => {
    const limits = { ...defaultLimits.tasks, parallel: 2 };
    let checked = 0;
    const paused = async () => (checked += 1) < 0;
    const worker = tasks.workerOf(app.first, { limits, paused });
    const [first, release, again] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    app.use(
      scriptedAgent(
        async () => {
          first?.resolve();
          await release?.promise;
        },
        async (context) => {
          again?.resolve();
          return hang(context);
        },
      ),
    );
    const { id } = await tasks.create();
    await worker.run();
    await first?.promise;
    await cancelTask(users(), id, "Owner");
    await retryTask(users(), id, "Owner");
    await worker.run();
    await again?.promise;
    const before = checked;
    release?.resolve();
    // As soon as an attempt has ended it looks for more.
    await eventually(() => expect(checked).toBeGreaterThan(before));
    await worker.close();
    expect(await tasks.get(id)).toMatchObject({ status: "queued", attempts: 0, claim_hash: null });
    expect(await tasks.left()).toEqual([]);
  });
});

describe("paused", () => {
  it("stops also what a person has asked for while it was not paused", async () => {
    let paused = false;
    const entered = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const worker = tasks.workerOf(app.first, { paused: async () => paused });
    app.use(
      scriptedAgent(async (context) => {
        entered.resolve();
        await release.promise;
        await writePage(context, "about.html", "<h1>1</h1>\n");
      }),
    );
    const ids = [(await tasks.create()).id, (await tasks.create()).id];
    await worker.run();
    await entered.promise;
    paused = true;
    release.resolve();
    await worker.idle();
    const ends = await Promise.all(ids.map((id) => tasks.get(id)));
    expect(ends.map(({ status, attempts }) => [status, attempts])).toEqual([
      ["published", 1],
      ["queued", 0],
    ]);
    await worker.close();
  });

  it("takes nothing up by itself, and all that is due when a person asks", async () => {
    let checked = 0;
    const worker = tasks.workerOf(app.first, {
      pollMs: 5,
      paused: async () => (checked += 1) > 0,
    });
    app.use(
      scriptedAgent(
        (context) => writePage(context, "about.html", "<h1>1</h1>\n"),
        (context) => writePage(context, "about.html", "<h1>2</h1>\n"),
      ),
    );
    const ids = [(await tasks.create()).id, (await tasks.create()).id];
    worker.start();
    const checks = (more: number) => {
      const before = checked;
      return eventually(() => expect(checked).toBeGreaterThan(before + more));
    };
    await checks(3);
    expect(await tasks.get(ids[0] ?? 0)).toMatchObject({ status: "queued", attempts: 0 });
    expect(await worker.run()).toEqual({ queued: 2, running: 0 });
    const all = async () =>
      expect(await Promise.all(ids.map(async (id) => (await tasks.get(id)).status))).toEqual([
        "published",
        "published",
      ]);
    await eventually(all);
    // Until then what comes is taken up as well.
    await worker.idle();
    const { id } = await tasks.create();
    await checks(3);
    expect(await tasks.get(id)).toMatchObject({ status: "queued" });
    await worker.close();
  });
});
