import { afterEach, describe, expect, test } from "vitest";
import { callTool, hasImage, describeImage } from "../../../../../test/support/vision-model.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import {
  type ModelServer,
  type ModelStep,
  type Protocol,
  type SeenRequest,
  startModelServer,
} from "../../../../../test/support/model-server.ts";
import { languageModel } from "./model.ts";
import { probeModel, type ProbeOptions } from "./probe.ts";
import { colorNames, matchesColors, randomColors } from "./probe-image.ts";

const protocols: Protocol[] = ["anthropic", "openai", "openai-compatible"];

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

type Able = (request: SeenRequest) => ModelStep | Promise<ModelStep>;

interface Abilities {
  tools?: Able;
  images?: Able;
}

async function probe(protocol: Protocol, abilities: Abilities, options: ProbeOptions = {}) {
  server = await startModelServer(
    Array.from({ length: 8 }, () => (request: SeenRequest) => {
      if (request.tools.length > 0) return (abilities.tools ?? callTool)(request);
      if (hasImage(request)) return (abilities.images ?? describeImage)(request);
      return { text: "ready", usage: { input: 100, output: 20, cached: 30 } };
    }),
  );
  const model = languageModel({ provider: protocol, id: "m", baseUrl: server.url }, "sk-canary");
  return probeModel(model, { timing: { backoffMs: 1, silentMs: 10_000 }, ...options });
}

describe.each(protocols)("%s", (protocol) => {
  test("a fully capable model passes, and its usage is counted", async () => {
    expect(await probe(protocol, {})).toEqual({
      responds: true,
      tools: true,
      images: true,
      notes: [],
      tokens: { input: 300, cached: 30, cacheWritten: 0, output: 60 },
    });
    expect(server?.requests).toHaveLength(3);
    expect(server?.requests.filter(({ tools }) => tools.length > 0)).toHaveLength(1);
  });

  test.each<[string, Abilities, object]>([
    [
      "words in place of a call",
      { tools: () => ({ text: "note_word(word)" }) },
      { tools: false, images: true, notes: ["It didn't call a tool when asked to."] },
    ],
    [
      "a call with a word of its own",
      { tools: () => ({ calls: [{ name: "note_word", input: { word: "example" } }] }) },
      { tools: false, notes: ["It calls tools, but with the wrong arguments."] },
    ],
    [
      "a call of another tool",
      { tools: () => ({ calls: [{ name: "bash", input: { word: "x" } }] }) },
      { tools: false },
    ],
    [
      "a server that refuses tools",
      { tools: () => ({ status: 400, message: "llama does not support tools" }) },
      {
        tools: false,
        images: true,
        notes: [
          "It can't call tools. The model provider rejected the request (400). It said: llama does not support tools",
        ],
      },
    ],
    [
      "a server that fails on images",
      { images: () => ({ status: 500, message: "image input is not supported" }) },
      {
        tools: true,
        images: false,
        notes: [expect.stringMatching(/^It can't see images\./)],
      },
    ],
    [
      "a server that disconnects when it gets an image",
      { images: () => ({ half: "reset", text: "I see a long row of" }) },
      {
        tools: true,
        images: false,
        notes: [expect.stringMatching(/images\. The model/)],
      },
    ],
    [
      "a guess at the image",
      { images: () => ({ text: "red, red, red" }) },
      { images: false, notes: ["It didn't recognize what a test image shows."] },
    ],
  ])("%s", async (_, abilities, expected) => {
    expect(await probe(protocol, abilities)).toMatchObject(expected);
  });

  test.each([
    [401, "The model provider refused the API key."],
    [404, "The model provider doesn't know the configured model."],
    [500, "The model provider failed (500)."],
  ])("no response (%i) is explained, and no further request is made", async (status, words) => {
    server = await startModelServer(Array.from({ length: 4 }, () => ({ status })));
    const config = { provider: protocol, id: "m", baseUrl: server.url };
    const probed = probeModel(languageModel(config, "sk-canary"), { timing: { backoffMs: 1 } });
    await expect(probed).rejects.toMatchObject({
      code: "upstream_failed",
      message: expect.stringContaining(words),
    });
    expect(server.requests).toHaveLength(status === 500 ? 2 : 1);
  });
});

test("a provider's error says nothing about the model", async () => {
  const limited = () => ({ status: 429, headers: { "retry-after": "3600" } });
  await expect(probe("anthropic", { tools: limited })).rejects.toMatchObject({
    code: "upstream_failed",
    message: expect.stringContaining("limiting requests"),
  });
});

test("the whole test is limited in time, and an abort ends it at once", async () => {
  const hang = { images: () => ({ hang: true as const }) };
  expect(await probe("openai", hang, { timeoutMs: 3000 })).toMatchObject({
    tools: true,
    images: false,
    notes: ["It can't see images. It took too long."],
  });
  await server?.close();
  server = await startModelServer([{ hang: true }]);
  const model = languageModel({ provider: "openai", id: "m", baseUrl: server.url }, "sk-canary");
  await expect(probeModel(model, { timeoutMs: 300 })).rejects.toMatchObject({
    code: "upstream_failed",
    message: "The model didn't respond within 1 seconds.",
  });
  await server?.close();
  const controller = new AbortController();
  const reason = new Error("the owner left");
  const failure = probe("openai", hang, { signal: controller.signal }).catch(
    (error: unknown) => error,
  );
  await eventually(() => expect(server?.requests).toHaveLength(3));
  controller.abort(reason);
  expect(await failure).toBe(reason);
});

test("colors are random, and named in order", () => {
  const rows = new Set(Array.from({ length: 200 }, () => randomColors().join()));
  expect(rows.size).toBeGreaterThan(60);
  for (const row of rows) expect(new Set(row.split(",")).size).toBe(3);
  const row = ["red", "white", "blue"] as const;
  expect(matchesColors("Red, white and BLUE.", row)).toBe(true);
  expect(matchesColors("The bands: out of red, green I see red white blue", row)).toBe(true);
  expect(matchesColors("blue white red", row)).toBe(false);
  expect(matchesColors("redwhiteblue", row)).toBe(false);
  // What echoes the question names all six, always alike.
  expect(matchesColors(colorNames.join(", "), row)).toBe(false);
});
