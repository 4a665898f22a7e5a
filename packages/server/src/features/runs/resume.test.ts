import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { consoleOf, hang, type RunsConsole } from "../../../../../test/support/runs-console.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import type { AgentContext } from "../agent/agent.ts";
import { AppError } from "../../kit/errors.ts";

let app: RunsApp;
let console: RunsConsole;
beforeEach(async () => {
  app = await startRunsApp({ parallel: 2 });
  console = consoleOf(app);
});
afterEach(() => app.cleanup());

const page = (context: AgentContext, name: string) =>
  readFile(join(context.root, "app/src/pages", name), "utf8");
const live = (name: string) => readFile(join(app.paths.current, name), "utf8");
const workspaces = () => readdir(app.paths.workspaces).catch(() => [] as string[]);

const limit = (name: string) =>
  new AppError("upstream_failed", `The run reached its limit of ${name}.`, {
    details: { limit: name },
  });

/** Writes a page, leaves a conversation and stops at a limit. */
const stopsAt = (name: string) =>
  scriptedAgent(async (context) => {
    await writePage(context, "about.html", "half\n");
    await context.conversation.save("said so far");
    throw limit(name);
  });

/** Goes on with what is there. */
const continuesRun = () =>
  scriptedAgent(async (context) => {
    expect(context.conversation.earlier).toBe("said so far");
    await writePage(context, "index.html", `${await page(context, "about.html")}whole\n`);
    await context.conversation.save("said later");
    return { message: "Whole" };
  });

/** The page as the site has it at first. */
const original = "<h1>About</h1>\n";

/** Leaves the page with another text. */
const continuesWith = (text: string) =>
  scriptedAgent((context) => writePage(context, "about.html", text));

describe("a run that was stopped", () => {
  it.each(["steps", "minutes", "tokens", "run-cost", "day", "month"])(
    "at its limit of %s is interrupted with its work kept, and goes on from there",
    async (name) => {
      app.use(stopsAt(name));
      const stopped = await console.start("run", { instruction: "Do it all" });
      expect(stopped).toMatchObject({
        status: "interrupted",
        error: `The run reached its limit of ${name}.`,
        canContinue: true,
        filesChanged: [{ path: "app/src/pages/about.html" }],
      });
      expect(await workspaces()).toEqual([stopped.id]);

      app.use(continuesRun());
      const next = await console.start("retry", { runId: stopped.id });
      expect(next).toMatchObject({
        status: "preview_ready",
        instruction: "Do it all",
        origin: { runId: stopped.id, kind: "continue" },
        baseCommit: stopped.baseCommit,
      });
      expect(next.filesChanged.map(({ path }) => path)).toEqual([
        "app/src/pages/about.html",
        "app/src/pages/index.html",
      ]);
      expect(await console.run(stopped.id)).toMatchObject({
        status: "discarded",
        canContinue: false,
      });
      expect((await console.types(stopped.id)).slice(-2)).toEqual(["=discarded", "run.finished"]);
      expect(await workspaces()).toEqual([next.id]);
      await console.post("publish", { runId: next.id });
      expect(await live("about.html")).toBe("half\n");
      expect(await live("index.html")).toBe("half\nwhole\n");
    },
  );

  it("begins at the beginning when that is asked for, and leaves the work where it is", async () => {
    app.use(stopsAt("tokens"));
    const stopped = await console.start("run", { instruction: "Do it" });
    app.use(
      scriptedAgent(async (context) => {
        expect(context.conversation.earlier).toBeNull();
        expect(await page(context, "about.html")).toBe("<h1>About</h1>\n");
        await writePage(context, "about.html", "fresh\n");
      }),
    );
    const fresh = await console.start("retry", { runId: stopped.id, fresh: true });
    expect(fresh).toMatchObject({ status: "preview_ready", origin: null });
    expect(await console.run(stopped.id)).toMatchObject({ status: "interrupted" });
  });

  it("is begun anew when a day has passed", async () => {
    app.use(stopsAt("tokens"));
    const stopped = await console.start("run", { instruction: "Do it" });
    app.admin.clock.advance(25 * 60 * 60 * 1000);
    expect(await app.runs.get(stopped.id)).toMatchObject({ canContinue: false });
    app.use(
      scriptedAgent(async (context) => {
        expect(context.conversation.earlier).toBeNull();
        return { summary: "Nothing to do." };
      }),
    );
    // By now the session is over too.
    const { runId } = await app.runs.retry(stopped.id);
    await app.runs.waitUntilFinished(runId);
    expect(await app.runs.get(runId)).toMatchObject({ status: "discarded", origin: null });
    expect(await workspaces()).toEqual([]);
  });

  it("by the server's end, also one that waited, goes on in the next process", async () => {
    const entered = Promise.withResolvers<void>();
    app.use(
      scriptedAgent(async (context) => {
        await writePage(context, "about.html", "half\n");
        await context.conversation.save("said so far");
        entered.resolve();
        return hang(context);
      }),
    );
    const { runId } = await app.runs.start({ instruction: "Do it" });
    await entered.promise;
    await app.runs.close();
    const later = app.another().runs;
    await later.recover();
    expect(await later.get(runId)).toMatchObject({
      status: "interrupted",
      error: "The server stopped during this run.",
      canContinue: true,
    });
    // It never begins: the process ends while it waits.
    app.use(continuesRun());
    const { runId: second } = await later.retry(runId);
    await later.close();
    await later.waitUntilFinished(second);
    const third = app.another().runs;
    await third.recover();
    expect(await third.get(second)).toMatchObject({ status: "interrupted", canContinue: true });
    const { runId: last } = await third.retry(second);
    await third.waitUntilFinished(last);
    expect(await third.get(last)).toMatchObject({ status: "preview_ready" });
    for (const id of [runId, second]) {
      expect(await third.get(id)).toMatchObject({ status: "discarded" });
    }
    expect(await workspaces()).toEqual([last]);
  });

  it("is taken up by one run at a time", async () => {
    app.use(stopsAt("tokens"));
    const stopped = await console.start("run", { instruction: "Do it" });
    const entered = Promise.withResolvers<void>();
    app.use(
      scriptedAgent(async (context) => {
        entered.resolve();
        return hang(context);
      }),
    );
    const { runId } = await console.post<{ runId: string }>("retry", { runId: stopped.id }, 202);
    await entered.promise;
    for (const name of ["retry", "reapply"]) {
      expect(await console.refused(name, { runId: stopped.id })).toMatchObject({
        status: 409,
        details: { runId },
      });
    }
    await console.post("cancel", { runId });
    expect(await console.run(stopped.id)).toMatchObject({
      status: "interrupted",
      canContinue: true,
    });
    expect(await workspaces()).toEqual([stopped.id]);
    app.use(continuesRun());
    expect(await console.start("retry", { runId: stopped.id })).toMatchObject({
      status: "preview_ready",
    });
  });

  it("abuse 70: one that failed leaves no work and no conversation to go on with", async () => {
    app.use(
      scriptedAgent(async (context) => {
        await writePage(context, "about.html", "half\n");
        await context.conversation.save("said so far");
        throw new AppError("upstream_failed", "The model did not answer.");
      }),
    );
    const failed = await console.start("run", { instruction: "Do it" });
    expect(failed).toMatchObject({ status: "failed", canContinue: false });
    expect(await workspaces()).toEqual([]);
    app.use(
      scriptedAgent(async (context) => {
        expect(context.conversation.earlier).toBeNull();
        expect(await page(context, "about.html")).toBe("<h1>About</h1>\n");
      }),
    );
    expect(await console.start("retry", { runId: failed.id })).toMatchObject({ origin: null });
  });
});

describe("an instruction on a preview", () => {
  const first = () =>
    scriptedAgent(async (context) => {
      await writePage(context, "about.html", "one\n");
      await context.conversation.save("said so far");
    });

  it("builds on its work and its words, and replaces it", async () => {
    app.use(first());
    const ready = await console.start("run", { instruction: "One" });
    app.use(continuesRun());
    const next = await console.start("run", { instruction: "Two", continues: ready.id });
    expect(next).toMatchObject({
      status: "preview_ready",
      instruction: "Two",
      origin: { runId: ready.id, kind: "continue" },
    });
    expect(await console.run(ready.id)).toMatchObject({ status: "discarded", previewUrl: null });
    await console.post("publish", { runId: next.id });
    expect(await live("index.html")).toBe("one\nwhole\n");
    expect((await app.git("rev-list", "--count", "main")).trim()).toBe("2");
  });

  it("leaves it as it is when it fails, only answers, or changes nothing", async () => {
    app.use(first());
    const ready = await console.start("run", { instruction: "One" });
    const others = [
      {
        mode: "build",
        status: "failed",
        agent: scriptedAgent(async () => {
          throw new AppError("upstream_failed", "No.");
        }),
      },
      { mode: "build", status: "discarded", agent: scriptedAgent(async () => ({})) },
      {
        mode: "ask",
        status: "discarded",
        agent: scriptedAgent(async (context) => ({ summary: await page(context, "about.html") })),
      },
    ];
    for (const { mode, status, agent } of others) {
      app.use(agent);
      const requested = { instruction: "What is it?", mode, continues: ready.id };
      expect(await console.start("run", requested)).toMatchObject({ status, mode });
      expect(await console.run(ready.id)).toMatchObject({ status: "preview_ready" });
      expect(await workspaces()).toEqual([ready.id]);
    }
    await console.post("publish", { runId: ready.id });
    expect(await live("about.html")).toBe("one\n");
  });

  it("discards it, and what came before it, when it takes all of it back", async () => {
    app.use(
      scriptedAgent(async (context) => {
        await writePage(context, "about.html", "half\n");
        throw limit("steps");
      }),
    );
    const stopped = await console.start("run", { instruction: "One" });
    app.use(continuesWith("one\n"));
    const ready = await console.start("run", { instruction: "Two", continues: stopped.id });
    expect(ready).toMatchObject({ status: "preview_ready" });
    const { artifactSha } = await app.runs.getPreview(ready.id);
    app.use(continuesWith(original));
    const undone = await console.start("run", { instruction: "Undo that", continues: ready.id });
    expect(undone).toMatchObject({ status: "discarded", filesChanged: [], previewUrl: null });
    expect(await console.run(ready.id)).toMatchObject({ status: "discarded", previewUrl: null });
    expect((await console.types(ready.id)).slice(-2)).toEqual(["=discarded", "run.finished"]);
    expect(await console.refused("publish", { runId: ready.id })).toMatchObject({
      code: "invalid_state",
    });
    expect(await workspaces()).toEqual([]);
    expect(await readdir(app.paths.artifacts)).not.toContain(artifactSha);
  });

  it("discards what was interrupted when it takes all of it back", async () => {
    app.use(stopsAt("steps"));
    const stopped = await console.start("run", { instruction: "One" });
    app.use(continuesWith(original));
    const undone = await console.start("run", { instruction: "Undo that", continues: stopped.id });
    expect(undone).toMatchObject({ status: "discarded" });
    expect(await console.run(stopped.id)).toMatchObject({
      status: "discarded",
      canContinue: false,
    });
    expect(await workspaces()).toEqual([]);
  });

  it("is replaced when all of it is taken back and its owner then says more", async () => {
    app.use(first());
    const ready = await console.start("run", { instruction: "One" });
    const agent = scriptedAgent(
      async (context) => {
        await writePage(context, "about.html", original);
        await console.post("message", { runId: basename(context.root), text: "No, two" }, 202);
      },
      (context) => writePage(context, "about.html", "two\n"),
    );
    app.use(agent);
    const next = await console.start("run", { instruction: "Undo that", continues: ready.id });
    expect(agent.messages).toEqual(["Undo that", "No, two"]);
    expect(next).toMatchObject({ status: "preview_ready" });
    expect(await console.run(ready.id)).toMatchObject({ status: "discarded" });
  });

  it("goes on after it was discarded meanwhile, and a retry says all of it again", async () => {
    app.use(first());
    const ready = await console.start("run", { instruction: "One" });
    app.use(
      scriptedAgent(async (context) => {
        await console.post("discard", { runId: ready.id });
        await writePage(context, "index.html", "two\n");
      }),
    );
    const next = await console.start("run", { instruction: "Two", continues: ready.id });
    expect(next.filesChanged).toHaveLength(2);
    await console.post("discard", { runId: next.id });
    const agent = scriptedAgent(async () => {});
    app.use(agent);
    await console.start("retry", { runId: next.id });
    expect(agent.messages).toEqual(["One\n\nTwo"]);
  });

  it("is refused for a run with nothing to go on with", async () => {
    app.use(first());
    const ready = await console.start("run", { instruction: "One" });
    await console.post("publish", { runId: ready.id });
    const requested = { instruction: "Two", continues: ready.id };
    expect(await console.refused("run", requested)).toMatchObject({
      status: 409,
      code: "invalid_state",
      details: { status: "published" },
    });
    expect(await console.refused("run", { ...requested, continues: "x" })).toMatchObject({
      status: 404,
    });
    expect(await console.refused("reapply", { runId: ready.id })).toMatchObject({ status: 409 });
    app.use(first());
    const { id: undo } = await console.start("restore", { runId: ready.id });
    expect(await console.refused("run", { ...requested, continues: undo })).toMatchObject({
      status: 409,
    });
  });
});

describe("what goes along with an instruction", () => {
  const element = {
    file: "app/src/pages/about.html",
    line: 1,
    column: 1,
    tag: "h1",
    text: "About",
    page: "/about/",
  };
  const attachments = [
    { use: "page", mediaId: 7 },
    { use: "reference", referenceId: "abc" },
  ];

  it("reaches the agent, the record and the list, and is there again in a retry", async () => {
    const heard: unknown[] = [];
    const agent = scriptedAgent(
      async () => {
        throw new AppError("upstream_failed", "No.");
      },
      async () => ({ summary: "Seen." }),
    );
    const { open } = agent;
    agent.open = (context) => {
      const session = open(context);
      return {
        ...session,
        send: (message) => {
          heard.push([message.elements, message.images.map(({ use, name }) => [use, name])]);
          return session.send(message);
        },
      };
    };
    app.use(agent);
    const requested = { instruction: "See", elements: [element], attachments };
    const { id } = await console.start("run", requested);
    const again = await console.start("retry", { runId: id });
    const seen = [
      [element],
      [
        ["page", "7"],
        ["reference", "abc"],
      ],
    ];
    expect(heard).toEqual([seen, seen]);
    const { items } = await console.get<{ items: unknown[] }>("runs");
    expect(items).toHaveLength(2);
    for (const item of [...items, again]) {
      expect(item).toMatchObject({ elements: [element], attachments });
    }
  });

  it("is refused where it isn't there", async () => {
    await using strict = await startRunsApp({
      dependencies: {
        resolveAttachment: async () => {
          throw new AppError("validation_failed", "There is no such image.");
        },
      },
    });
    const speak = consoleOf(strict);
    expect(await speak.refused("run", { instruction: "See", attachments })).toMatchObject({
      status: 422,
      code: "validation_failed",
      fields: { "attachments.0": "There is no such image.", "attachments.1": expect.any(String) },
    });
    expect((await strict.runs.list({ page: 1, perPage: 1 })).total).toBe(0);
  });
});
