import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { messageText } from "../../../../../test/support/agent-context.ts";
import {
  type AgentWorkspace,
  agentWorkspace,
  failureOf,
  modelKey,
} from "../../../../../test/support/agent-run.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import type { Protocol } from "../../../../../test/support/model-server.ts";
import { AppError } from "../../kit/errors.ts";
import type { OwnerMessage, StepUse } from "./agent.ts";
import { readConversation } from "./conversation-store.ts";
import { languageModel } from "./model.ts";

const protocols: Protocol[] = ["anthropic", "openai", "openai-compatible"];
const about = "app/src/pages/about.astro";
const look = { calls: [{ name: "read", input: { path: about } }] };
const edit = {
  calls: [{ name: "edit", input: { path: about, search: "Old words", replace: "New words" } }],
};
const done = { text: "Summary: The words are new.\nCommit: Renew the words" };

let at: AgentWorkspace;

beforeEach(async () => {
  at = await agentWorkspace();
  await at.put(about, "<h1>Hello</h1>\n<p>Old words</p>\n");
});

afterEach(() => at.close());

/** Limits of money, as whoever books the steps would say it. */
function ceiling(limit: string): AppError {
  return new AppError("upstream_failed", "Enough is spent.", { details: { limit } });
}

describe.each(protocols)("%s: continuing", (protocol) => {
  test("a later run knows the conversation, and that its files contain the changes", async () => {
    await at.run([look, edit, done], "Renew the words of the page", { protocol });
    const earlier = at.saved.at(-1) ?? null;
    await at.put(about, "<h1>Hello</h1>\n<p>New words, by somebody else</p>\n");
    const further = {
      calls: [
        { name: "edit", input: { path: about, search: "New words", replace: "Newest words" } },
      ],
    };
    const { raw, reply } = await at.run([further, look, further, done], "Now newest", {
      protocol,
      context: { conversation: { earlier, save: async () => {} } },
    });
    expect(raw()).toContain("Renew the words of the page");
    expect(raw()).toContain(
      "Your work continues in a workspace that contains your changes so far.",
    );
    // The briefing shows the page as it is now, so the first edit may be made at once.
    expect(raw()).toContain("by somebody else");
    expect(await at.read(about)).toContain("Newest words, by somebody else");
    expect(reply.message).toBe("Renew the words");
  });

  test("a call that was never made is reported as such", async () => {
    const spend = async () => Promise.reject(ceiling("day"));
    const { session } = await at.open([edit, done], { protocol, context: { spend } });
    expect(await failureOf(session.send(messageText("Renew")))).toMatchObject({
      details: { limit: "day" },
    });
    expect(await at.read(about)).toContain("Old words");
    const earlier = at.saved.at(-1) ?? null;
    const { raw, server } = await at.run([edit, done], "Renew", {
      protocol,
      context: { conversation: { earlier, save: async () => {} } },
    });
    expect(server.requests).toHaveLength(2);
    expect(raw()).toContain("Not carried out: the run ended here.");
    expect(raw()).toContain("the same as before: it is still to be done");
    expect(await at.read(about)).toContain("New words");
  });

  test("a refusal ends the run with a plain message and isn't retried", async () => {
    const { session, server } = await at.open([{ refusal: "I won't write that." }, done], {
      protocol,
    });
    const error = await failureOf(session.send(messageText("Something bad")));
    expect(error).toMatchObject({ code: "upstream_failed" });
    expect(error.details).toHaveProperty("refusal");
    expect(error.message).toMatch(/^The model declined this request\./);
    expect(server.requests).toHaveLength(1);
  });

  test("tokens read from the cache are counted and booked", async () => {
    const spent: StepUse[] = [];
    const usage = { input: 1000, cached: 800, output: 100 };
    const { reply } = await at.run(
      [
        { ...look, usage },
        { ...done, usage },
      ],
      "go",
      {
        protocol,
        prices: { input: 10, output: 20, cachedInput: 1 },
        context: { spend: async (use) => void spent.push(use) },
      },
    );
    expect(reply).toMatchObject({ cachedTokens: 1600, outputTokens: 200 });
    expect(spent).toHaveLength(2);
    expect(spent[0]).toMatchObject({
      model: `${protocol}/scripted-1`,
      cachedTokens: 800,
      outputTokens: 100,
    });
    const step = spent[0] ?? { inputTokens: 0 };
    expect(step).toMatchObject({
      cost: expect.closeTo(((step.inputTokens - 800) * 10 + 800 + 100 * 20) / 1e6, 9),
    });
    expect(reply.cost).toBeCloseTo((spent[0]?.cost ?? 0) * 2, 9);
  });

  test("a conversation that is too long for the model is shortened, once", async () => {
    await at.put("app/src/long.txt", `${"many words ".repeat(3000)}\n`.repeat(2));
    const long = { calls: [{ name: "grep", input: { text: "many", path: "app/src" } }] };
    const read = { calls: [{ name: "read", input: { path: "app/src/long.txt" } }] };
    const tooLong = { status: 400, message: "prompt is too long: 210000 tokens > 200000" };
    const reads = Array.from({ length: 6 }, (_, i) => ({
      calls: [{ name: "read", input: { path: "app/src/long.txt", lines: i + 1 } }],
    }));
    const { reply, server } = await at.run([read, ...reads, long, tooLong, done], "Look around", {
      protocol,
    });
    expect(reply.summary).toBe("The words are new.");
    const [before, after] = server.requests.slice(-2).map(({ raw }) => raw);
    expect(after?.length).toBeLessThan((before?.length ?? 0) * 0.75);
    expect(after).toContain("Look around");
    const again = await at.open([tooLong, tooLong, done], { protocol });
    await failureOf(again.session.send(messageText("go")));
    expect(again.server.requests).toHaveLength(1);
  });
});

describe("messages while it works", () => {
  const message: OwnerMessage = messageText("And make it bold");

  test("are added after the step's results, and stored at once", async () => {
    const waiting = [[], [message], []];
    const { server } = await at.run([look, edit, done], "Renew", {
      context: { takeMessages: async () => waiting.shift() ?? [] },
    });
    const [, second, third] = server.requests;
    expect(second?.raw).not.toContain("make it bold");
    expect(third?.raw).toContain("make it bold");
    expect(third?.raw.indexOf("make it bold")).toBeGreaterThan(
      third?.raw.indexOf("Edited app/src/pages/about.astro") ?? Infinity,
    );
    expect(at.saved[1]).toContain("make it bold");
    expect(at.saved[0]).not.toContain("make it bold");
  });

  test("make a finished model continue", async () => {
    const waiting = [[message]];
    const last = { text: "Summary: Bold.\nCommit: Make it bold" };
    const { reply, server } = await at.run([done, last], "Renew", {
      context: { takeMessages: async () => waiting.shift() ?? [] },
    });
    expect(server.requests).toHaveLength(2);
    expect(reply.summary).toBe("Bold.");
  });
});

describe("abuse 68: limits", () => {
  test("a limit reached by the last step loses nothing, and stops the next step", async () => {
    const spend = async () => Promise.reject(ceiling("run-cost"));
    const { session, server } = await at.open([done], { context: { spend } });
    expect((await session.send(messageText("go"))).summary).toBe("The words are new.");
    expect(await failureOf(session.repair("it broke"))).toMatchObject({
      details: { limit: "run-cost" },
    });
    expect(server.requests).toHaveLength(1);
  });

  test("two edits that undo each other are noticed although files change", async () => {
    const there = { name: "edit", input: { path: about, search: "Old", replace: "New" } };
    const back = { name: "edit", input: { path: about, search: "New", replace: "Old" } };
    const script = Array.from({ length: 8 }, () => [{ calls: [there] }, { calls: [back] }]).flat();
    const { session, server } = await at.open(script);
    const error = await failureOf(session.send(messageText("go")));
    expect(error).toMatchObject({ details: { limit: "repetition" } });
    expect(error.message).toContain("the same few calls in turn");
    expect(server.requests).toHaveLength(10);
    expect(server.requests.at(-1)?.raw.match(/same few calls in turn/g)).toHaveLength(1);
  });

  test("a flood of calls in one response is cut off", async () => {
    const calls = Array.from({ length: 80 }, (_, i) => ({
      name: "grep",
      input: { text: `word ${i}` },
    }));
    const { raw } = await at.run([{ calls }, done], "go");
    expect(at.events.filter((event) => event.type === "tool.call")).toHaveLength(50);
    expect(raw().match(/an answer may make 50 calls/g)).toHaveLength(30);
  });
});

describe("ends", () => {
  test("an abort closes the model's connection and doesn't wait for a tool", async () => {
    const abort = new AbortController();
    const { session } = await at.open([{ calls: [{ name: "check_site", input: {} }] }], {
      context: { signal: abort.signal, checkSite: () => new Promise(() => {}) },
    });
    const sent = session.send(messageText("go"));
    await eventually(() =>
      expect(at.events.some((event) => event.type === "tool.call")).toBe(true),
    );
    const reason = new Error("cancelled by the owner");
    abort.abort(reason);
    await expect(sent).rejects.toBe(reason);
  });

  test("an abort closes the connection to a responding model", async () => {
    let opened = false;
    let closed = false;
    const slow = createServer((_, response) => {
      opened = true;
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n");
      response.on("close", () => (closed = true));
    });
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = slow.address() as AddressInfo;
      const abort = new AbortController();
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const model = languageModel({ provider: "anthropic", id: "slow", baseUrl }, modelKey);
      const { session } = await at.open([], { loop: { model }, context: { signal: abort.signal } });
      const sent = session.send(messageText("go"));
      await eventually(() => expect(opened).toBe(true));
      abort.abort(new Error("stop"));
      await expect(sent).rejects.toThrow("stop");
      await eventually(() => expect(closed).toBe(true));
    } finally {
      slow.closeAllConnections();
      slow.close();
    }
  });

  test("time runs out during a check of the site: the check is aborted, the changes are kept", async () => {
    let reported = false;
    const checkSite = (signal: AbortSignal) =>
      new Promise<never>(() => signal.addEventListener("abort", () => (reported = true)));
    const check = { name: "check_site", input: {} };
    const { session } = await at.open([{ calls: [...edit.calls, check] }], {
      context: { checkSite },
      // Long enough for the edit, however busy the machine.
      limits: { minutes: 0.05 },
    });
    expect(await failureOf(session.send(messageText("go")))).toMatchObject({
      details: { limit: "minutes" },
    });
    expect(reported).toBe(true);
    const retained = readConversation(at.saved.at(-1) ?? "");
    expect(JSON.stringify(retained?.entries)).toContain("Edited app/src/pages/about.astro");
    expect(retained?.changed).toEqual([about]);
  });

  test("an empty response is queried, and finally accepted", async () => {
    const { server, reply } = await at.run([{ text: "" }, done], "go");
    expect(server.requests[1]?.raw).toContain("Your answer was empty.");
    expect(reply.summary).toBe("The words are new.");
    const silent = await at.run([{ text: "" }, { text: "" }, { text: "" }, done], "go");
    expect(silent.server.requests).toHaveLength(3);
  });

  test("a commit subject that names unchanged files isn't used", async () => {
    const wrong = { text: "Summary: Done.\nCommit: Update index.astro" };
    const right = { text: "Summary: Done.\nCommit: Update about.astro" };
    expect((await at.run([edit, wrong], "go")).reply.message).toBe("");
    await at.put(about, "<p>Old words</p>\n");
    expect((await at.run([edit, right], "go")).reply.message).toBe("Update about.astro");
  });
});

describe("an earlier conversation that is damaged", () => {
  test.each([
    ["no JSON", "{"],
    ["something else", JSON.stringify({ hello: "there" })],
    ["another version", JSON.stringify({ version: 7, entries: [] })],
    ["wrong inside", JSON.stringify({ version: 1, boundary: "x", entries: [{ kind: "owner" }] })],
  ])("%s: starts over and says so", async (_, earlier) => {
    const { raw } = await at.run([done], "Renew", {
      context: { conversation: { earlier, save: async () => {} } },
    });
    expect(raw()).toContain("couldn't be read and is lost");
    expect(raw()).toContain("Renew");
    const reported = at.events.find((event) => event.type === "model.text");
    expect(reported?.data).toMatchObject({ text: expect.stringContaining("this is a new one") });
  });
});

describe("what a provider may cache", () => {
  const withoutMarks = (value: unknown) =>
    JSON.stringify(value, (name, inner: unknown) => (name === "cache_control" ? undefined : inner));

  test("Anthropic: tools, instructions, and the last message are marked; the beginning stays the same", async () => {
    const { server } = await at.run([look, edit, look, done], "go");
    const bodies = server.requests.map(({ body }) => body);
    for (const [i, body] of bodies.entries()) {
      expect(JSON.stringify(body["system"])).toContain("cache_control");
      expect((body["tools"] as object[]).at(-1)).toHaveProperty("cache_control");
      const messages = body["messages"] as { content: object[] }[];
      expect(messages.at(-1)?.content.at(-1)).toHaveProperty("cache_control");
      expect(JSON.stringify(body).match(/"cache_control"/g)?.length).toBeLessThanOrEqual(4);
      const before = bodies[i - 1];
      if (before === undefined) continue;
      expect(withoutMarks([body["tools"], body["system"]])).toBe(
        withoutMarks([before["tools"], before["system"]]),
      );
      const earlier = withoutMarks(before["messages"]).slice(0, -1);
      // Anthropic's messages of one role are joined, so the last one of before may go on.
      expect(withoutMarks(messages).startsWith(earlier.replace(/\]\}$/, ""))).toBe(true);
    }
  });

  test.each(["openai", "openai-compatible"] as const)(
    "%s: the beginning stays the same",
    async (protocol) => {
      const { server } = await at.run([look, edit, look, done], "go", { protocol });
      const field = protocol === "openai" ? "input" : "messages";
      const sent = server.requests.map(({ body }) => JSON.stringify(body[field]));
      for (const [i, text] of sent.entries()) {
        expect(text.startsWith(sent[i - 1]?.slice(0, -1) ?? "")).toBe(true);
      }
    },
  );

  test("instructions and tools are the same in every run", async () => {
    const first = await at.run([done], "go");
    const second = await at.run([done], "something else");
    const [one, two] = [first, second].map(({ server }) => server.requests[0]?.body);
    expect(JSON.stringify([one?.["system"], one?.["tools"]])).toBe(
      JSON.stringify([two?.["system"], two?.["tools"]]),
    );
  });
});
