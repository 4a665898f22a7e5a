import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { consoleOf } from "../../../../../../test/support/runs-console.ts";
import { type RunsApp, startRunsApp } from "../../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../../test/support/runs-site.ts";
import { startModelServer } from "../../../../../../test/support/model-server.ts";
import { stubDependencies } from "../../../../../../test/support/runs-dependencies.ts";
import { tasksOn, type TestTasks } from "../../../../../../test/support/runs-tasks.ts";
import { AppError } from "../../../kit/errors.ts";
import { makeDiskQuota } from "../../../platform/disk-quota.ts";
import { makeEditor } from "../../agent/model.ts";
import { assertSpaceForChange } from "../../release/publish-check.ts";
import { findSetting, putSetting } from "../../settings/store.ts";
import { approveTask, cancelTask } from "../queue/queue.ts";
import type { ReviewReason } from "../schema.ts";

let app: RunsApp;
let tasks: TestTasks;
beforeEach(async () => {
  app = await startRunsApp();
  tasks = tasksOn(app);
});
afterEach(async () => {
  await tasks.worker.close();
  await app.cleanup();
});

const says = (text: string, page = "about.html") =>
  scriptedAgent(
    ...Array.from({ length: 5 }, () => async (context: { root: string }) => {
      await writePage(context as never, page, `<h1>${text}</h1>\n`);
      return { message: `Say ${text}`, summary: `The page says ${text}.` };
    }),
  );

const main = async () => (await app.git("rev-parse", "main")).trim();
const commitByHand = async (page: string, text: string) => {
  await writeFile(join(app.paths.content, "app/src/pages", page), `<h1>${text}</h1>\n`);
  await app.git("-c", "user.name=O", "-c", "user.email=o@example.com", "commit", "-qam", text);
};
const isClean = async () => (await app.git("status", "--porcelain")) === "";
const script: ReviewReason = { kind: "script", message: "It adds a script.", items: ["/about"] };

describe("a task that nothing speaks against", () => {
  it("goes live by itself, with its trailers and an entry by the agent", async () => {
    app.use(says("hello"));
    const { id } = await tasks.create({ instruction: "Say hello", pageUrl: "/about" });
    const done = await tasks.settled(id);
    expect(done).toMatchObject({
      status: "published",
      attempts: 1,
      commit_sha: await main(),
      error: null,
      claimed_by: null,
      claim_hash: null,
    });
    expect(await tasks.page("about.html")).toBe("<h1>hello</h1>\n");
    expect(await app.git("log", "-1", "--format=%B", "main")).toBe(
      `Say hello\n\nRun: ${done.run_id}\nActor: Editor\nPublished-Via: task-queue\nTask: ${id}\n\n`,
    );
    expect(await tasks.changelog()).toMatchObject([{ title: "Say hello", actor: "Editor" }]);
    const run = await app.runs.get(done.run_id ?? "");
    expect(run).toMatchObject({ status: "published", task: { id, attempt: 1 }, pageUrl: "/about" });
    expect(await tasks.history(id)).toEqual(["created", "published"]);
    expect(await isClean()).toBe(true);
  });

  it("tells the agent that nobody can be asked, and sends no email of a preview", async () => {
    const reported: string[] = [];
    await app.cleanup();
    app = await startRunsApp({
      dependencies: stubDependencies({
        onPreviewReady: async (runId) => void reported.push(runId),
      }),
    });
    tasks = tasksOn(app);
    tasks.find(script);
    const agent = says("hello");
    app.use(agent);
    const { id } = await tasks.create({ instruction: "Say hello" });
    expect(await tasks.settled(id)).toMatchObject({ status: "needs_review" });
    expect(agent.messages[0]).toMatch(/^Say hello\n\n\(This comes from a queue and nobody is/);
    expect(reported).toEqual([]);
    const mine = says("mine");
    const runId = await app.edit(mine, "Say mine");
    expect(mine.messages).toEqual(["Say mine"]);
    expect(reported).toEqual([runId]);
  });

  it("works through the queue: priority, then age", async () => {
    const agent = scriptedAgent(
      ...Array.from({ length: 3 }, (_, at) => async (context: { root: string }) => {
        await writePage(context as never, "about.html", `<h1>${at}</h1>\n`);
      }),
    );
    app.use(agent);
    await tasks.create({ instruction: "second" });
    await tasks.create({ instruction: "third" });
    const { id } = await tasks.create({ instruction: "first", priority: 1 });
    expect(await tasks.settled(id)).toMatchObject({ status: "published" });
    const requested = agent.messages.map((message) => message.split("\n")[0]);
    expect(requested).toEqual(["first", "second", "third"]);
    expect(await tasks.page("about.html")).toBe("<h1>2</h1>\n");
  });
});

it("starts no run and counts no attempt while a change couldn't be built or published", async () => {
  const quota = makeDiskQuota({ dir: app.paths.content, maxMiB: 0, clock: app.admin.clock });
  const full = tasksOn(app, { assertSpace: () => assertSpaceForChange(app.paths, quota) });
  const agent = says("hello");
  app.use(agent);
  const { id } = await full.create();
  expect(await full.settled(id)).toMatchObject({
    status: "queued",
    attempts: 0,
    run_id: null,
    waiting: expect.stringContaining("disk space"),
  });
  expect(agent.messages).toEqual([]);
  await full.worker.close();
});

/** The site, the queue and the disk after a task whose work came to nothing. */
async function expectNothing(id: number, before: string) {
  expect(await tasks.left()).toEqual([]);
  expect(await main()).toBe(before);
  expect(await isClean()).toBe(true);
  expect(await tasks.page("about.html")).toBe(null);
  expect(await tasks.changelog()).toEqual([]);
  expect((await tasks.get(id)).claim_hash).toBe(null);
}

describe("a task that comes to nothing", () => {
  it.each([
    [
      "a build that stays broken",
      scriptedAgent(
        (context) => writePage(context, "about.html", "BROKEN"),
        (context) => writePage(context, "about.html", "BROKEN still"),
        (context) => writePage(context, "about.html", "BROKEN for good"),
      ),
      "The site doesn't build with these changes: about.html: BROKEN is not a page",
    ],
    [
      "an agent that changes nothing",
      scriptedAgent(async () => ({ summary: "There is no such page." })),
      "Nothing was changed: There is no such page.",
    ],
    [
      "an agent that goes over its steps",
      scriptedAgent(async (context) => {
        await writePage(context, "about.html", "half");
        throw new AppError("upstream_failed", "The run reached its limit of 40 steps.", {
          details: { limit: "steps" },
        });
      }),
      "The run reached its limit of 40 steps.",
    ],
    [
      "abuse 82: a change outside the content paths",
      scriptedAgent(async (context) => {
        await writePage(context, "about.html", "fine");
        await writeFile(join(context.root, "package.json"), "{}");
      }),
      'No run may change "package.json".',
    ],
  ])("%s: reverted, the reason kept, no trace", async (_, agent, error) => {
    const before = await main();
    app.use(agent);
    const { id } = await tasks.create();
    const done = await tasks.settled(id);
    expect(done).toMatchObject({ status: "reverted", error, attempts: 1 });
    await expectNothing(id, before);
    expect(await tasks.history(id)).toEqual(["created", "reverted"]);
  });

  it("pages without anything to see are reverted", async () => {
    await app.cleanup();
    const plain = stubDependencies();
    app = await startRunsApp({
      dependencies: {
        inspectBuild: async (job) => ({ ...(await plain.inspectBuild(job)), blank: ["/about"] }),
      },
    });
    tasks = tasksOn(app);
    const before = await main();
    const agent = scriptedAgent(
      ...Array.from({ length: 3 }, (_, at) => async (context: { root: string }) => {
        await writePage(context as never, "about.html", ` ${at}`);
      }),
    );
    app.use(agent);
    const { id } = await tasks.create();
    expect(await tasks.settled(id)).toMatchObject({
      status: "reverted",
      error: expect.stringContaining("This page would be blank: /about"),
    });
    expect(await main()).toBe(before);
    expect(await tasks.left()).toEqual([]);
  });

  it("images that are gone, and a project that is gone, are said", async () => {
    await app.cleanup();
    app = await startRunsApp({
      dependencies: {
        resolveAttachment: async () => {
          throw new AppError("validation_failed", "There is no image 7.");
        },
      },
    });
    tasks = tasksOn(app);
    const before = await main();
    app.use(says("x"));
    const image = await tasks.create({ attachments: [7] });
    const project = await tasks.create({ kind: "project" });
    await tasks.settled(project.id);
    expect(await tasks.get(image.id)).toMatchObject({
      status: "reverted",
      error: "There is no image 7.",
      run_id: null,
    });
    expect(await tasks.get(project.id)).toMatchObject({
      status: "reverted",
      error: "This task's project no longer exists.",
    });
    await expectNothing(image.id, before);
  });
});

describe("abuse 82: edits by hand in the content", () => {
  it("send a task back with the files named: no attempt, nothing begun", async () => {
    const edited = join(app.paths.content, "app/src/pages/index.html");
    await writeFile(edited, "<h1>By hand</h1>\n");
    const before = await main();
    app.use(says("x"));
    const first = await tasks.create();
    const second = await tasks.create();
    const waiting = await tasks.settled(first.id);
    expect(waiting).toMatchObject({
      status: "queued",
      attempts: 0,
      run_id: null,
      waiting: 'These files have uncommitted changes: "app/src/pages/index.html".',
    });
    expect(waiting.not_before).not.toBe(null);
    // What keeps this one keeps all: they stay as they are.
    expect(await tasks.history(second.id)).toEqual(["created"]);
    expect((await app.runs.list({ page: 1, perPage: 10 })).total).toBe(0);
    expect(await tasks.left()).toEqual([]);
    expect(await main()).toBe(before);
    // However often it is looked at, that is told once.
    await tasks.waited(first.id);
    await tasks.settled(first.id);
    expect(await tasks.history(first.id)).toEqual(["created", "requeued"]);
    await app.git("checkout", "--", "app/src/pages/index.html");
    await tasks.waited(first.id);
    expect(await tasks.settled(first.id)).toMatchObject({ status: "published", attempts: 1 });
  });

  it("that come while it is worked on leave it to a person", async () => {
    const edited = join(app.paths.content, "app/src/pages/index.html");
    app.use(
      scriptedAgent(async (context) => {
        await writePage(context, "about.html", "<h1>Worked</h1>\n");
        await writeFile(edited, "<h1>By hand</h1>\n");
      }),
    );
    const { id } = await tasks.create();
    const waiting = await tasks.settled(id);
    expect(waiting).toMatchObject({ status: "needs_review", commit_sha: null });
    expect(JSON.parse(waiting.review)).toMatchObject([
      { kind: "dirty_tree", items: ["app/src/pages/index.html"] },
    ]);
    await app.git("checkout", "--", "app/src/pages/index.html");
    await approveTask({ db: app.db, clock: app.admin.clock }, id, "Mira");
    expect(await tasks.settled(id)).toMatchObject({ status: "published" });
    expect(await tasks.page("about.html")).toBe("<h1>Worked</h1>\n");
  });
});

describe("what is no attempt", () => {
  it("a ceiling that is reached: asked for before anything is begun", async () => {
    const { ledger } = stubDependencies();
    let open = false;
    const reached = new AppError("throttled", "The daily limit is reached: 5 tokens.", {
      details: { limit: "day" },
    });
    await app.cleanup();
    app = await startRunsApp({
      dependencies: {
        ledger: {
          ...ledger,
          assertOpen: async () => {
            if (!open) throw reached;
          },
        },
      },
    });
    tasks = tasksOn(app);
    app.use(says("x"));
    const { id } = await tasks.create();
    expect(await tasks.settled(id)).toMatchObject({
      status: "queued",
      attempts: 0,
      waiting: reached.message,
      run_id: null,
    });
    open = true;
    await tasks.waited(id);
    expect(await tasks.settled(id)).toMatchObject({ status: "published", attempts: 1 });
  });

  it("a ceiling that is raised starts what waited for it, and what came since, at once", async () => {
    const { ledger } = stubDependencies();
    await app.cleanup();
    app = await startRunsApp({
      dependencies: {
        ledger: {
          ...ledger,
          async assertOpen() {
            if ((await findSetting(app.db, "budget")) !== null) return;
            const details = { limit: "month" };
            throw new AppError("throttled", "The monthly limit is reached.", { details });
          },
        },
      },
    });
    tasks = tasksOn(app);
    app.use(says("x"));
    const { id } = await tasks.create();
    expect(await tasks.settled(id)).toMatchObject({ waiting: "The monthly limit is reached." });
    const next = await tasks.create({ instruction: "Next" });
    tasks.worker.wake();
    await tasks.worker.idle();
    expect(await tasks.get(next.id)).toMatchObject({ status: "queued", waiting: null });
    await putSetting(app.db, "budget", { value: "{}", sealed: null }, next.created_at);
    tasks.worker.wake();
    await tasks.worker.idle();
    for (const each of [id, next.id]) {
      expect(await tasks.get(each)).toMatchObject({ attempts: 1, waiting: null });
      expect((await tasks.get(each)).status).not.toBe("queued");
    }
  });
});

describe("what is tried again", () => {
  it("a provider that is away: with waits, failed after the third time", async () => {
    const before = await main();
    const down = async () => {
      throw new AppError("upstream_failed", "The model provider is overloaded. Try again later.", {
        details: { provider: 529 },
      });
    };
    app.use(scriptedAgent(down, down, down));
    const { id } = await tasks.create();
    for (const attempts of [1, 2]) {
      const waiting = await tasks.settled(id);
      expect(waiting).toMatchObject({ status: "queued", attempts, claim_hash: null });
      expect(waiting.waiting).toContain("overloaded");
      expect(waiting.not_before).not.toBe(null);
      await expectNothing(id, before);
      await tasks.waited(id);
    }
    expect(await tasks.settled(id)).toMatchObject({
      status: "failed",
      attempts: 3,
      error: "The model provider is overloaded. Try again later.",
    });
    await expectNothing(id, before);
    expect(await tasks.history(id)).toEqual(["created", "requeued", "requeued", "failed"]);
    const runs = await app.runs.list({ page: 1, perPage: 10 });
    expect(runs.items.map((run) => `${run.status} ${run.task?.attempt}`).toSorted()).toEqual([
      "failed 1",
      "failed 2",
      "failed 3",
    ]);
  });

  it("a real client's failures: tried again; a model that says no is believed", async () => {
    const server = await startModelServer([
      { status: 503 },
      { status: 401 },
      { text: "Summary: There is no such page.\nCommit:" },
    ]);
    const config = { provider: "openai-compatible", id: "m", baseUrl: server.url } as const;
    const choice = { config, apiKey: null, abilities: null, from: "file" } as const;
    app.use(makeEditor(choice, { timing: { retries: 0 } }));
    const { id } = await tasks.create();
    for (const [attempts, waiting] of [
      [1, "The model provider is overloaded. Try again later."],
      [2, "The model provider refused the API key. Check the key under Settings → Model."],
    ] as const) {
      expect(await tasks.settled(id)).toMatchObject({ status: "queued", attempts, waiting });
      await tasks.waited(id);
    }
    expect(await tasks.settled(id)).toMatchObject({
      status: "reverted",
      attempts: 3,
      error: "Nothing was changed: There is no such page.",
    });
    expect(server.requests[2]?.raw).toContain("nobody is at the screen");
    await server.close();
  });

  it("abuse 90: what always breaks is tried three times", async () => {
    const poison = async () => {
      throw new TypeError("x is undefined");
    };
    app.use(scriptedAgent(poison, poison, poison));
    const { id } = await tasks.create();
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      expect(await tasks.settled(id)).toMatchObject({ status: "queued" });
      await tasks.waited(id);
    }
    expect(await tasks.settled(id)).toMatchObject({
      status: "failed",
      error: "Something went wrong on the server. Try again in a moment.",
    });
    expect(await tasks.left()).toEqual([]);
  });

  it("a conflict with what was published meanwhile: done anew on that, reverted at last", async () => {
    let others = 0;
    const work = async (context: { root: string }) => {
      await writePage(context as never, "about.html", "<h1>By the agent</h1>\n");
      await commitByHand("about.html", `By hand ${(others += 1)}`);
    };
    app.use(scriptedAgent(work, work, work));
    const { id } = await tasks.create();
    expect(await tasks.settled(id)).toMatchObject({ status: "queued", attempts: 1 });
    expect((await tasks.get(id)).waiting).toContain("app/src/pages/about.html");
    expect(await tasks.left()).toEqual([]);
    await tasks.waited(id);
    expect(await tasks.settled(id)).toMatchObject({ status: "queued", attempts: 2 });
    await tasks.waited(id);
    const done = await tasks.settled(id);
    expect(done).toMatchObject({ status: "reverted", attempts: 3 });
    expect(done.error).toContain("app/src/pages/about.html");
    expect(await tasks.left()).toEqual([]);
    expect(await isClean()).toBe(true);
  });
});

describe("main that has moved, elsewhere than the change", () => {
  const work = () =>
    scriptedAgent(async (context) => {
      await writePage(context, "about.html", "<h1>By the agent</h1>\n");
      await commitByHand("index.html", "By hand");
    });

  it("is merged with, judged anew, and live", async () => {
    const judged: string[] = [];
    const worker = tasks.workerOf(app.first, {
      async review({ artifactSha, files }) {
        judged.push(`${artifactSha} ${files.map(({ path }) => path).join()}`);
        return [];
      },
    });
    app.use(work());
    const { id } = await tasks.create();
    await worker.run();
    await worker.idle();
    expect(await tasks.get(id)).toMatchObject({ status: "published", attempts: 1 });
    expect(await tasks.page("about.html")).toBe("<h1>By the agent</h1>\n");
    expect(await tasks.page("index.html")).toBe("<h1>By hand</h1>\n");
    expect(judged).toHaveLength(2);
    expect(new Set(judged).size).toBe(2);
    expect(judged.every((each) => each.endsWith(" app/src/pages/about.html"))).toBe(true);
    await worker.close();
  });

  it("is left to a person where together they need one", async () => {
    let checked = 0;
    const worker = tasks.workerOf(app.first, {
      review: async () => ((checked += 1) === 1 ? [] : [script]),
    });
    app.use(work());
    const { id } = await tasks.create();
    await worker.run();
    await worker.idle();
    const waiting = await tasks.get(id);
    expect(waiting).toMatchObject({ status: "needs_review", commit_sha: null });
    expect(JSON.parse(waiting.review)).toEqual([script]);
    expect(await tasks.page("about.html")).toBe(null);
    await approveTask({ db: app.db, clock: app.admin.clock }, id, "Mira");
    await worker.run();
    await worker.idle();
    expect(await tasks.get(id)).toMatchObject({ status: "published" });
    await worker.close();
  });
});

describe("a task that a person has to look at", () => {
  beforeEach(() => {
    tasks.find(script);
    app.use(says("hello"));
  });
  const deps = () => ({ db: app.db, events: app.events, clock: app.admin.clock });

  it("waits with its preview, and is live once approved", async () => {
    const { id } = await tasks.create();
    const waiting = await tasks.settled(id);
    expect(waiting).toMatchObject({ status: "needs_review", claim_hash: null, commit_sha: null });
    expect(JSON.parse(waiting.review)).toEqual([script]);
    const runId = waiting.run_id ?? "";
    expect(await app.runs.get(runId)).toMatchObject({ status: "preview_ready" });
    expect(await tasks.left()).toHaveLength(2);
    expect(await tasks.page("about.html")).toBe(null);

    await approveTask(deps(), id, "Mira");
    const done = await tasks.settled(id);
    expect(done).toMatchObject({ status: "published", commit_sha: await main() });
    expect(await tasks.page("about.html")).toBe("<h1>hello</h1>\n");
    expect(await app.git("log", "-1", "--format=%B", "main")).toContain(
      `Published-Via: task-queue\nTask: ${id}\nApproved-By: Mira\n`,
    );
    expect(await tasks.history(id)).toEqual(["created", "needs_review", "approved", "published"]);
  });

  it("is cancelled by a discard, and nothing of it is left", async () => {
    const { id } = await tasks.create();
    await tasks.settled(id);
    await cancelTask(deps(), id, "Owner");
    expect(await tasks.settled(id)).toMatchObject({ status: "cancelled" });
    expect(await tasks.left()).toEqual([]);
  });

  it("stays where it is when the approval can't be carried out, and says why", async () => {
    const { id } = await tasks.create();
    await tasks.settled(id);
    await commitByHand("about.html", "By hand");
    await approveTask(deps(), id, "Mira");
    const refused = await tasks.settled(id);
    expect(refused).toMatchObject({ status: "needs_review", approved_at: null });
    expect(refused.error).toContain("app/src/pages/about.html");
    expect((await tasks.history(id)).at(-1)).toBe("refused");
    expect(JSON.parse(refused.review)).toEqual([script]);
  });

  it("is published even while the queue is paused", async () => {
    const { id } = await tasks.create();
    await tasks.settled(id);
    const paused = tasks.workerOf(app.first, { paused: async () => true });
    const { id: waits } = await tasks.create();
    await approveTask(deps(), id, "Mira");
    paused.start();
    const published = async () =>
      expect(await tasks.get(id)).toMatchObject({ status: "published" });
    await eventually(published);
    await paused.idle();
    await paused.close();
    expect(await tasks.get(waits)).toMatchObject({ status: "queued", attempts: 0 });
  });

  it("abuse 83: approved and discarded at once, one wins", async () => {
    const console = consoleOf(app);
    for (let round = 0; round < 3; round += 1) {
      app.use(says(`round ${round}`));
      const { id } = await tasks.create();
      const { run_id: runId } = await tasks.settled(id);
      await approveTask(deps(), id, "Mira");
      const [discarded] = await Promise.allSettled([
        console.post("discard", { runId }),
        tasks.settled(id),
      ]);
      const after = await tasks.get(id);
      const run = await app.runs.get(runId ?? "");
      const won = discarded.status === "fulfilled";
      expect([after.status, run.status]).toEqual(
        won ? ["cancelled", "discarded"] : ["published", "published"],
      );
    }
  });

  it.each(["permission", "none"] as const)(
    "abuse 76: what is built in the tier %s waits for that reason, until it is approved",
    async (tier) => {
      tasks = tasksOn(app, { tier });
      const { id } = await tasks.create();
      const waiting = await tasks.settled(id);
      expect(waiting.status).toBe("needs_review");
      expect(JSON.parse(waiting.review)).toEqual([
        { kind: "uncontained", message: expect.stringContaining("aren't sandboxed"), items: [] },
      ]);
      await approveTask(deps(), id, "Mira");
      expect(await tasks.settled(id)).toMatchObject({ status: "published" });
    },
  );

  it("a review that breaks leaves it to a person", async () => {
    const broken = tasks.workerOf(app.first, {
      review: async () => {
        throw new Error("no manifest");
      },
    });
    const { id } = await tasks.create();
    await broken.run();
    await broken.idle();
    const waiting = await tasks.get(id);
    expect(waiting.status).toBe("needs_review");
    expect(JSON.parse(waiting.review)).toMatchObject([{ kind: "unchecked" }]);
    await broken.close();
  });
});
