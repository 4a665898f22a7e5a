import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { consoleOf, hang, type RunsConsole } from "../../../../../test/support/runs-console.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import { AppError } from "../../kit/errors.ts";
import type { AgentContext, OwnerMessage } from "../agent/agent.ts";
import type { RunMessage } from "./schema.ts";

let app: RunsApp;
let console: RunsConsole;
beforeEach(async () => {
  app = await startRunsApp();
  console = consoleOf(app);
});
afterEach(() => app.cleanup());

const say = (runId: string, text: string, along: object = {}) =>
  console.post<RunMessage>("message", { runId, text, ...along }, 202);

/** Starts a run and gives what its agent waits for. */
async function startHeld(
  work: (context: AgentContext) => Promise<void>,
  ...later: Parameters<typeof scriptedAgent>
) {
  const entered = Promise.withResolvers<AgentContext>();
  const pending = Promise.withResolvers<void>();
  const agent = scriptedAgent(
    async (context) => {
      entered.resolve(context);
      await pending.promise;
      await work(context);
    },
    ...later,
  );
  app.use(agent);
  const { runId } = await console.post<{ runId: string }>("run", { instruction: "Do it" }, 202);
  const context = await entered.promise;
  return { runId, context, agent, release: pending.resolve };
}

/** Holds the next build; resolves when it has begun. */
function holdBuild() {
  const started = Promise.withResolvers<void>();
  const pending = Promise.withResolvers<void>();
  app.builder.before = async () => {
    app.builder.before = async () => {};
    started.resolve();
    await pending.promise;
  };
  return { begun: started.promise, release: pending.resolve };
}

const texts = (messages: readonly OwnerMessage[]) => messages.map(({ text }) => text);
const about = (text: string) => (context: AgentContext) => writePage(context, "about.html", text);

describe("what the owner says to a run at work", () => {
  it("is heard once, in order, by an agent that asks, and stands in the record", async () => {
    const element = {
      file: "app/src/pages/about.html",
      line: 1,
      column: 1,
      tag: "h1",
      text: "About",
      page: "/about/",
    };
    const { runId, context, agent, release } = await startHeld(about("x"));
    const first = await say(runId, "One", {
      elements: [element],
      attachments: [{ use: "reference", referenceId: "abc" }],
    });
    expect(first).toMatchObject({ text: "One", status: "waiting", elements: [element] });
    await say(runId, "Two");
    const heard = await context.takeMessages();
    expect(texts(heard)).toEqual(["One", "Two"]);
    expect(heard[0]).toMatchObject({ elements: [element], images: [{ name: "abc" }] });
    expect(await context.takeMessages()).toEqual([]);
    release();
    await app.runs.waitUntilFinished(runId);
    expect(agent.messages).toEqual(["Do it"]);
    const run = await console.run(runId);
    expect(run).toMatchObject({ status: "preview_ready" });
    expect(run.messages.map(({ text, status }) => [text, status])).toEqual([
      ["One", "delivered"],
      ["Two", "delivered"],
    ]);
    const reported = (await app.events.listAfter(runId, 0)).filter(({ type }) =>
      type.startsWith("mess"),
    );
    expect(reported.map(({ type, data }) => [type, (data as { text: string }).text])).toEqual([
      ["message.queued", "One"],
      ["message.queued", "Two"],
      ["message.delivered", "One"],
      ["message.delivered", "Two"],
    ]);
  });

  it("is heard before the end by an agent that never asks", async () => {
    const { runId, agent, release } = await startHeld(about("x"), about("y"), about("z"));
    await say(runId, "One");
    await say(runId, "Two");
    release();
    await app.runs.waitUntilFinished(runId);
    expect(agent.messages).toEqual(["Do it", "One", "Two"]);
    expect(app.builder.builds).toBe(1);
  });

  it("is heard before an answer in words is the last", async () => {
    const { runId, agent, release } = await startHeld(
      async () => {},
      async () => ({ summary: "The second answer." }),
    );
    await say(runId, "And this?");
    release();
    await app.runs.waitUntilFinished(runId);
    expect(agent.messages).toEqual(["Do it", "And this?"]);
    expect(await console.run(runId)).toMatchObject({
      status: "discarded",
      summary: "The second answer.",
    });
  });

  it("takes a run that is being built back to its agent", async () => {
    const build = holdBuild();
    const { runId, agent, release } = await startHeld(about("first"), about("second"));
    release();
    await build.begun;
    expect(await console.run(runId)).toMatchObject({ status: "building" });
    await say(runId, "Another word");
    build.release();
    await app.runs.waitUntilFinished(runId);
    expect(agent.messages).toEqual(["Do it", "Another word"]);
    const types = await console.types(runId);
    expect(types.filter((type) => type.startsWith("="))).toEqual([
      "=queued",
      "=running",
      "=building",
      "=running",
      "=building",
      "=preview_ready",
    ]);
    // What is not the last word is not looked at either.
    expect(types.filter((type) => type === "checks.done")).toHaveLength(1);
    const preview = await app.ask(`/_preview/${runId}/about.html`);
    expect(preview.text).toContain("second");
  });

  it("is heard although it comes at the very last moment, while the checks run", async () => {
    const requested: string[] = [];
    await using late = await startRunsApp({
      dependencies: {
        async inspectBuild() {
          const [run] = (await late.runs.list({ page: 1, perPage: 1 })).items;
          requested.push(run?.id ?? "");
          if (requested.length === 1) {
            await consoleOf(late).post("message", { runId: run?.id, text: "Wait" }, 202);
          }
          throw new Error("no report");
        },
      },
    });
    const agent = scriptedAgent(about("first"), about("second"));
    const runId = await late.edit(agent, "Do it");
    expect(agent.messages).toEqual(["Do it", "Wait"]);
    expect(requested).toEqual([runId, runId]);
    expect(await late.runs.get(runId)).toMatchObject({ status: "preview_ready" });
  });

  it("gives a run that would fail another chance", async () => {
    const build = holdBuild();
    const { runId, agent, release } = await startHeld(
      about("BROKEN 1"),
      about("BROKEN 2"),
      about("BROKEN 3"),
      async (context) => {
        expect(texts(await context.takeMessages())).toEqual(["Leave it out"]);
        await writePage(context, "about.html", "fine");
      },
    );
    release();
    await build.begun;
    let builds = 0;
    app.builder.before = async () => {
      builds += 1;
      if (builds === 2) await say(runId, "Leave it out");
    };
    build.release();
    await app.runs.waitUntilFinished(runId);
    expect(agent.messages).toHaveLength(4);
    expect(await console.run(runId)).toMatchObject({ status: "preview_ready" });
  });

  it("is delivered once, whichever process asks", async () => {
    const { runId, context, release } = await startHeld(about("x"));
    const other = app.another();
    await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        (at % 2 ? app.runs : other.runs).sendMessage({
          runId,
          text: String(at),
          elements: [],
          attachments: [],
        }),
      ),
    );
    const lots = await Promise.all([context, context, context].map((each) => each.takeMessages()));
    expect(texts(lots.flat()).toSorted()).toEqual(["0", "1", "2", "3", "4", "5"]);
    release();
    await app.runs.waitUntilFinished(runId);
    const events = await app.events.listAfter(runId, 0);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.filter(({ type }) => type === "message.delivered")).toHaveLength(6);
  });
});

describe("a message that nobody hears", () => {
  it("can be taken back while it waits, and only then", async () => {
    const { runId, context, release } = await startHeld(about("x"));
    const { id } = await say(runId, "No");
    for (let time = 0; time < 2; time += 1) {
      expect(await console.post("message/withdraw", { messageId: id })).toEqual({
        id,
        withdrawn: true,
      });
    }
    expect(await context.takeMessages()).toEqual([]);
    const { id: heard } = await say(runId, "Yes");
    await context.takeMessages();
    expect(await console.refused("message/withdraw", { messageId: heard })).toMatchObject({
      status: 409,
      code: "invalid_state",
    });
    expect(await console.refused("message/withdraw", { messageId: 999 })).toMatchObject({
      status: 404,
    });
    release();
    await app.runs.waitUntilFinished(runId);
    expect((await console.run(runId)).messages.map(({ text }) => text)).toEqual(["Yes"]);
    expect((await console.types(runId)).filter((type) => type === "message.withdrawn")).toEqual([
      "message.withdrawn",
    ]);
  });

  it.each(["cancelled", "interrupted", "failed"] as const)(
    "is withdrawn when its run is %s",
    async (status) => {
      const { runId, release } = await startHeld(async (context) => {
        if (status === "failed") throw new AppError("upstream_failed", "No.");
        await hang(context);
      });
      const { id } = await say(runId, "Too late");
      release();
      if (status === "cancelled") await console.post("cancel", { runId });
      if (status === "interrupted") await app.runs.close();
      await app.runs.waitUntilFinished(runId);
      const run = await console.run(runId);
      expect(run).toMatchObject({ status, messages: [] });
      const types = await console.types(runId);
      expect(types.indexOf("message.withdrawn")).toBe(types.indexOf(`=${status}`) + 1);
      expect(await app.events.listAfter(runId, 0)).toContainEqual(
        expect.objectContaining({ type: "message.withdrawn", data: { id } }),
      );
      expect(await console.refused("message", { runId, text: "Hello?" })).toMatchObject({
        status: 409,
        code: "invalid_state",
        details: { status },
      });
    },
  );

  it("is refused without words, without a run, or when too many wait", async () => {
    const { runId, context, release } = await startHeld(about("x"));
    expect(await console.refused("message", { runId, text: "  " })).toMatchObject({ status: 422 });
    const unknown = "01KAJ3X0M0AAAAAAAAAAAAAAAA";
    expect(await console.refused("message", { runId: unknown, text: "Hm" })).toMatchObject({
      status: 404,
    });
    const queued = await console.post<{ runId: string }>("run", { instruction: "Next" }, 202);
    expect(await say(queued.runId, "Also this")).toMatchObject({ status: "waiting" });
    for (let at = 0; at < 20; at += 1) await say(runId, String(at));
    expect(await console.refused("message", { runId, text: "More" })).toMatchObject({
      status: 429,
    });
    expect(await context.takeMessages()).toHaveLength(20);
    await console.post("cancel", { runId: queued.runId });
    release();
    await app.runs.waitUntilFinished(runId);
  });
});

it("is refused by a form's run and by an undo, which then end as if nothing had been sent", async () => {
  const restored = await app.edit(scriptedAgent(about("old")), "Old");
  await console.post("publish", { runId: restored });
  await using forms = await startRunsApp({
    dependencies: { makeFormAgent: async () => scriptedAgent(about("from a form")) },
  });
  const form = { name: "form", input: {} };
  for (const { of, start, end } of [
    { of: app, end: "published", start: () => app.runs.restore(restored, "undo") },
    {
      of: forms,
      end: "preview_ready",
      start: () => forms.runs.startForm({ instruction: "Form", form }),
    },
  ]) {
    const started = Promise.withResolvers<void>();
    const pending = Promise.withResolvers<void>();
    of.builder.before = async () => {
      started.resolve();
      await pending.promise;
    };
    const { runId } = await start();
    await started.promise;
    expect(await of.runs.get(runId)).toMatchObject({ status: "building", readsMessages: false });
    expect(await consoleOf(of).refused("message", { runId, text: "And this" })).toMatchObject({
      status: 409,
      code: "invalid_state",
      details: { status: "building" },
    });
    pending.resolve();
    await of.runs.waitUntilFinished(runId);
    expect(await of.runs.get(runId)).toMatchObject({ status: end, messages: [] });
  }
});

it("says all of it again when a run is tried again from the beginning", async () => {
  const { runId, context, release } = await startHeld(async () => {
    throw new AppError("upstream_failed", "No.");
  });
  await say(runId, "And then this");
  await context.takeMessages();
  release();
  await app.runs.waitUntilFinished(runId);
  app.use(
    scriptedAgent(async (at) => {
      expect(await readFile(join(at.root, "app/src/pages/about.html"), "utf8")).toContain("About");
    }),
  );
  expect(await console.start("retry", { runId })).toMatchObject({
    instruction: "Do it\n\nAnd then this",
  });
});
