import { inspect } from "node:util";
import type { ModelMessage } from "ai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../../test/support/eventually.ts";
import {
  type ModelServer,
  type ModelStep,
  type Protocol,
  type Script,
  startModelServer,
} from "../../../../../test/support/model-server.ts";
import { costOf, type StepTokens } from "./budget.ts";
import { chosenModel, languageModel } from "./model.ts";
import type { ModelChoice } from "./model-choice.ts";
import { pricesOf } from "./model-prices.ts";
import { defaultTiming, runStep, type StepTiming } from "./model-step.ts";
import type { BoundTool } from "./tools/toolbox.ts";

/* What goes over the wire and what comes back, on each of the three protocols. */

const protocols: Protocol[] = ["anthropic", "openai", "openai-compatible"];
const key = "sk-test-canary-key";
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const jpeg = Buffer.from("/9j/4AAQSkZJRg==", "base64");

const noServer: ModelServer = {
  url: "",
  requests: [],
  remaining: () => 0,
  left: () => 0,
  close: async () => {},
};

let server: ModelServer;
let abort: AbortController;
let heard: string;
let retries: string[];
let lost: StepTokens[];

const noteTool: BoundTool = {
  name: "note",
  description: "Notes a word.",
  input: z.object({ word: z.string() }),
  call: async () => ({ ok: true, text: "" }),
};

beforeEach(() => {
  server = noServer;
  abort = new AbortController();
  heard = "";
  retries = [];
  lost = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

interface Request {
  messages?: ModelMessage[];
  timing?: Partial<StepTiming>;
  abilities?: ModelChoice["abilities"];
  apiKey?: string | null;
}

async function ask(protocol: Protocol, script: Script, requested: Request = {}) {
  server = await startModelServer(script);
  const { abilities = null, apiKey = key } = requested;
  const config = { provider: protocol, id: "scripted-1", baseUrl: server.url };
  return runStep(
    {
      model: chosenModel({ config, apiKey, abilities, from: "settings" }),
      instructions: "Be brief.",
      messages: requested.messages ?? [{ role: "user", content: "Hello" }],
      tools: [noteTool],
      signal: abort.signal,
      maxOutputTokens: 500,
      onText: (text) => (heard += text),
      onLost: (tokens) => lost.push(tokens),
      onRetry: (failure) => retries.push(failure),
    },
    { ...defaultTiming, backoffMs: 1, silentMs: 20_000, ...requested.timing },
  );
}

const withImages: ModelMessage[] = [
  {
    role: "user",
    content: [
      { type: "text", text: "Look at these." },
      { type: "file", mediaType: "image/png", data: png },
      { type: "file", mediaType: "image/jpeg", data: jpeg },
    ],
  },
];

/** The content of the owner's message as a request carries it. */
function userContent({ body }: ModelServer["requests"][number]): unknown {
  const messages = (body["messages"] ?? body["input"]) as { role: string; content: unknown }[];
  return messages.find(({ role }) => role === "user")?.content;
}

const imageShapes: Record<Protocol, (mediaType: string, base64: string) => object> = {
  anthropic: (media_type, data) => ({
    type: "image",
    source: { type: "base64", media_type, data },
  }),
  openai: (mediaType, base64) => ({
    type: "input_image",
    image_url: `data:${mediaType};base64,${base64}`,
  }),
  "openai-compatible": (mediaType, base64) => ({
    type: "image_url",
    image_url: { url: `data:${mediaType};base64,${base64}` },
  }),
};

describe.each(protocols)("%s", (protocol) => {
  test("images are sent in the protocol's format, after the text, in order", async () => {
    await ask(protocol, [{ text: "I see." }], { messages: withImages });
    const shape = imageShapes[protocol];
    expect(userContent(server.requests[0]!)).toMatchObject([
      { text: "Look at these." },
      shape("image/png", png.toString("base64")),
      shape("image/jpeg", jpeg.toString("base64")),
    ]);
  });

  test("the usage of a failed attempt is counted, whether or not another one succeeds", async () => {
    const half = { half: "reset", text: "x".repeat(300) } as const;
    const { tokens } = await ask(protocol, [
      half,
      { text: "Yes.", usage: { input: 50, output: 9 } },
    ]);
    expect(tokens.input).toBeGreaterThan(50);
    expect(tokens.output).toBeGreaterThan(40);
    await server.close();
    const failing = ask(protocol, [half, half], { timing: { retries: 1 } });
    await expect(failing).rejects.toMatchObject({ code: "upstream_failed" });
    expect(lost.map(({ output }) => output > 60)).toEqual([true]);
  });

  test("abuse 68: an endless response is cut off and not requested again", async () => {
    const endless = { calls: [{ name: "note", input: { word: "x".repeat(17 * 1024 * 1024) } }] };
    await expect(ask(protocol, [endless, endless])).rejects.toMatchObject({
      message: "The model's answer didn't end and was cut off.",
    });
    expect(server.requests).toHaveLength(1);
  });

  test("abuse 68: an endless error response isn't read to its end, either", async () => {
    const refusal = { status: 400, message: "x".repeat(17 * 1024 * 1024) };
    await expect(ask(protocol, [refusal, refusal])).rejects.toMatchObject({
      message: "The model's answer didn't end and was cut off.",
    });
    expect(server.requests).toHaveLength(1);
  });

  test("for a model that can't see images, a note says where they are", async () => {
    const abilities = { tools: true, images: false };
    await ask(protocol, [{ text: "I don't." }], { messages: withImages, abilities });
    const { raw, tools } = server.requests[0]!;
    expect(raw).toContain("Look at these.");
    expect(raw.match(/There is an image here that this model can't see/g)).toHaveLength(2);
    expect(raw).not.toContain(png.toString("base64"));
    expect(tools).toEqual(["note"]);
  });

  test("a model that can't call tools gets none", async () => {
    await ask(protocol, [{ text: "Hello." }], { abilities: { tools: false, images: true } });
    const { body } = server.requests[0]!;
    expect(body["tools"] ?? []).toEqual([]);
    expect(body).not.toHaveProperty("tool_choice");
  });

  test("the key is only in its header, and nothing is taken from the environment", async () => {
    for (const name of ["ANTHROPIC", "OPENAI", "OPENAI_COMPATIBLE"]) {
      vi.stubEnv(`${name}_API_KEY`, "sk-of-the-environment");
      vi.stubEnv(`${name}_AUTH_TOKEN`, "sk-of-the-environment");
      vi.stubEnv(`${name}_BASE_URL`, "http://127.0.0.1:9/v1");
      vi.stubEnv(`${name}_ORGANIZATION`, "org-of-the-environment");
    }
    await ask(protocol, [{ text: "Hello." }]);
    const { headers, raw } = server.requests[0]!;
    const own = protocol === "anthropic" ? "x-api-key" : "authorization";
    expect(headers[own]).toBe(protocol === "anthropic" ? key : `Bearer ${key}`);
    expect(JSON.stringify(headers).split(key)).toHaveLength(2);
    expect(raw).not.toContain(key);
    expect(JSON.stringify(headers)).not.toContain("of-the-environment");
  });

  test("a key that the provider repeats in its error isn't shown to anyone", async () => {
    const message = `odd header: Bearer ${key}`;
    const failure = await ask(protocol, [{ status: 400, message }]).catch(
      (error: unknown) => error as Error,
    );
    expect(failure).toMatchObject({
      message: expect.stringContaining("odd header: Bearer (the key)"),
    });
    expect(inspect(failure, { depth: 10 })).not.toContain(key);
  });

  test("requests name the model, stream, and have a limit; nothing is stored at the provider", async () => {
    await ask(protocol, [{ text: "Hello." }]);
    const { body } = server.requests[0]!;
    const bound = protocol === "openai" ? { max_output_tokens: 500 } : { max_tokens: 500 };
    const unstored = protocol === "openai" ? { store: false } : {};
    expect(body).toMatchObject({ model: "scripted-1", stream: true, ...bound, ...unstored });
  });

  test("cached tokens are counted separately, at the cache's price", async () => {
    const usage = { input: 1_000_000, cached: 800_000, output: 100_000 };
    const { tokens } = await ask(protocol, [{ text: "Hello.", usage }]);
    expect(tokens).toMatchObject(usage);
    const config = { provider: protocol, id: "x", inputPrice: 4, outputPrice: 20 };
    const part = { anthropic: 0.1, openai: 0.5, "openai-compatible": 1 }[protocol];
    expect(costOf(tokens, pricesOf(config)!)).toBeCloseTo(0.2 * 4 + 0.8 * 4 * part + 2, 9);
    const reply = pricesOf({ ...config, cachedInputPrice: 1 })!;
    expect(costOf(tokens, reply)).toBeCloseTo(0.2 * 4 + 0.8 * 1 + 2, 9);
  });

  test.each<[string, ModelStep]>([
    ["a refusal", { refusal: "I can't help with that." }],
    ["a refusal after some words", { text: "Well. ", refusal: "I can't help with that." }],
    ["the provider's filter", { filtered: "I can't help with that." }],
  ])("%s is recognized as a refusal, isn't retried, and calls nothing", async (_, step) => {
    const result = await ask(protocol, [step, { text: "never" }]);
    expect(result).toMatchObject({ refused: true, cut: false, calls: [] });
    expect(heard).toContain("I can't help with that.");
    expect(server.requests).toHaveLength(1);
  });

  test("a response that ends well isn't a refusal, whatever it says", async () => {
    const result = await ask(protocol, [{ text: "refusal: content_filter" }]);
    expect(result.refused).toBe(false);
  });

  test.each([
    ["reset in the middle of a call", { half: "reset" as const }],
    ["ended in the middle of a call", { half: "end" as const }],
  ])("a stream %s: no partial call results from it", async (_, half) => {
    const calls = [{ name: "note", input: { word: "x".repeat(400) } }];
    const whole = { calls: [{ name: "note", input: { word: "whole" } }] };
    const result = await ask(protocol, [{ ...half, text: "", calls }, whole]);
    expect(result.calls).toMatchObject([{ name: "note", input: { word: "whole" } }]);
    expect(retries).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
  });

  test("Retry-After is respected, in seconds and as a date", async () => {
    const soon = () => new Date(Date.now() + 1000).toUTCString();
    for (const after of ["0.3", soon]) {
      const times: number[] = [];
      await ask(protocol, [
        () => {
          times.push(performance.now());
          const value = typeof after === "string" ? after : after();
          return { status: 429, headers: { "retry-after": value } };
        },
        () => {
          times.push(performance.now());
          return { text: "Hello." };
        },
      ]);
      const [first = 0, second = 0] = times;
      // A date has no parts of a second, so up to one of them may be over already.
      expect(second - first).toBeGreaterThan(typeof after === "string" ? 290 : 0);
      expect(second - first).toBeLessThan(10_000);
      await server.close();
      server = noServer;
    }
  });

  test("each retry waits longer than the one before", async () => {
    const times: number[] = [];
    const failing = () => {
      times.push(performance.now());
      return { status: 529 };
    };
    const last = () => {
      times.push(performance.now());
      return { text: "Hello." };
    };
    await ask(protocol, [failing, failing, failing, last], { timing: { backoffMs: 40 } });
    const waits = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    for (const [i, wait] of waits.entries()) expect(wait).toBeGreaterThan(39 * 2 ** i);
    expect(retries).toEqual(
      Array.from({ length: 3 }, () => "The model provider is overloaded. Try again later."),
    );
  });

  test.each([
    ["at once", { hang: true as const }],
    ["in the middle of its words", { hang: true as const, text: "Some words and then" }],
  ])("an abort reaches the socket: silent %s", async (_, step) => {
    const reason = new Error("stopped by the owner");
    const failure = ask(protocol, [step]).catch((error: unknown) => error);
    await eventually(() => expect(server.requests).toHaveLength(1));
    expect(server.left()).toBe(0);
    abort.abort(reason);
    expect(await failure).toBe(reason);
    await eventually(() => expect(server.left()).toBe(1));
  });

  test("a silent attempt is closed and not retried", async () => {
    const timing = { silentMs: 1500 };
    const silent = ask(protocol, [{ hang: true }, { text: "Hello." }], { timing });
    await expect(silent).rejects.toThrow(/^The model stopped answering\./);
    await eventually(() => expect(server.left()).toBe(1));
    expect([server.requests.length, retries]).toEqual([1, []]);
  });

  test("an abort while waiting for a retry ends the wait", async () => {
    const limited = { status: 429, headers: { "retry-after": "25" } };
    const failure = ask(protocol, [limited]).catch((error: unknown) => error);
    await eventually(() => expect(retries).toHaveLength(1));
    const reason = new Error("stopped by the owner");
    abort.abort(reason);
    expect(await failure).toBe(reason);
  });

  test("a response in many small pieces, with multi-byte letters, arrives complete", async () => {
    const text = "Ångström, 東京, 🏳️‍🌈 and a long tail ".repeat(40);
    expect((await ask(protocol, [{ text }])).text).toBe(text);
    expect(heard).toBe(text);
  });
});

/** What providers send when something breaks after the answer began. */
const streamed: [Protocol, string, string][] = [
  [
    "anthropic",
    `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`,
    "The model provider is overloaded. Try again later.",
  ],
  [
    "openai",
    `data: {"type":"error","sequence_number":1,"error":{"type":"server_error","code":"server_error","message":"Broken","param":null}}\n\n`,
    "The model provider failed (500).",
  ],
  [
    "openai-compatible",
    `data: {"error":{"message":"Broken","type":"server_error"}}\n\ndata: [DONE]\n\n`,
    "The model's answer was cut off or couldn't be understood.",
  ],
];

test.each(streamed)(
  "%s: an error within the stream is retried",
  async (protocol, garbage, words) => {
    const result = await ask(protocol, [{ garbage }, { text: "Hello." }]);
    expect(result.text).toBe("Hello.");
    expect(retries).toEqual([words]);
  },
);

test("a local server without a key is sent none", async () => {
  await ask("openai-compatible", [{ text: "Hello." }], { apiKey: null });
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
});

test("a slash at the end of the address makes no other address", async () => {
  server = await startModelServer([{ text: "Hello." }]);
  const model = languageModel(
    { provider: "openai-compatible", id: "x", baseUrl: `${server.url}/` },
    null,
  );
  const result = await runStep(
    {
      model,
      instructions: "",
      messages: [{ role: "user", content: "Hello" }],
      tools: [],
      signal: abort.signal,
      onText: () => {},
      onRetry: () => {},
    },
    { ...defaultTiming, retries: 0 },
  );
  expect(result.text).toBe("Hello.");
});

test("prices: none, some, and those of the cache", () => {
  const config = { provider: "anthropic" as const, id: "x" };
  expect(pricesOf(config)).toBeNull();
  expect(pricesOf({ ...config, outputPrice: 15 })).toMatchObject({ input: 0, output: 15 });
  expect(pricesOf({ ...config, inputPrice: 4, currency: "EUR" })).toEqual({
    input: 4,
    output: 0,
    cachedInput: 0.4,
    cacheWrite: 5,
    currency: "EUR",
  });
});

test.each([
  ["sk/one+two", String.raw`sk\/one\u002btwo`],
  ["sk-three", "sk-three"],
  [String.raw`sk"\four`, String.raw`sk\"\\four`],
])("the key %s is told to nobody, however a provider writes it", async (apiKey, written) => {
  const refuse = async () =>
    new Response(`{"error":{"message":"no such key: ${written}."}}`, { status: 400 });
  const config = {
    provider: "openai-compatible",
    id: "m",
    baseUrl: "http://a.example/v1",
  } as const;
  const requested = runStep(
    {
      model: languageModel(config, apiKey, { fetch: refuse }),
      instructions: "Be brief.",
      messages: [{ role: "user", content: "Hello" }],
      tools: [],
      signal: abort.signal,
      onText: () => {},
      onRetry: () => {},
    },
    defaultTiming,
  );
  await expect(requested).rejects.toMatchObject({
    message: expect.stringMatching(/no such key: \(the key\)\.$/),
  });
});
