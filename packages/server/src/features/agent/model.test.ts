import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { agentContext, messageText } from "../../../../../test/support/agent-context.ts";
import { type ModelServer, startModelServer } from "../../../../../test/support/model-server.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import type { AppError } from "../../kit/errors.ts";
import { modelText, bindKey, type ModelSetting } from "../settings/model-setting.ts";
import type { StepUse } from "./agent.ts";
import { makeEditor } from "./model.ts";
import { makeModelChoice, type ModelChoice } from "./model-choice.ts";

const choice: ModelChoice = {
  config: { provider: "openai-compatible", id: "small", baseUrl: "http://127.0.0.1:9/v1" },
  apiKey: null,
  abilities: { tools: false, images: false },
  from: "settings",
};

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("a model that can't call tools", () => {
  test("may not build, and the message says why", () => {
    const editor = makeEditor(choice);
    let refusal: unknown;
    try {
      editor.open(agentContext("/nowhere", []));
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: "model_not_configured" });
    expect((refusal as AppError).message).toMatch(/^openai-compatible\/small can't call tools/);
  });

  test("can be asked, and gets no tools", async () => {
    await using folder = await tempFolder();
    const root = join(folder.path, "workspace");
    await mkdir(join(root, "app/src/pages"), { recursive: true });
    await writeFile(join(root, "app/src/pages/index.astro"), "<h1>Hello</h1>\n");
    server = await startModelServer([{ text: "It is a page." }]);
    const editor = makeEditor({ ...choice, config: { ...choice.config, baseUrl: server.url } });
    const spent: StepUse[] = [];
    const spend = async (step: StepUse) => void spent.push(step);
    const session = editor.open(agentContext(root, [], { mode: "ask", spend }));
    expect(await session.send(messageText("What is this?"))).toMatchObject({
      summary: "It is a page.",
    });
    expect(spent.map(({ model }) => model)).toEqual([editor.model]);
    expect(server.requests[0]?.tools).toEqual([]);
  });
});

test.each([null, { tools: true, images: true }])(
  "one that passed its test, or wasn't tested, may (%j)",
  (abilities) => {
    const editor = makeEditor({ ...choice, abilities });
    expect(() => editor.open(agentContext("/nowhere", []))).not.toThrow();
  },
);

test.each([
  { windowTokens: 8000, shortened: true },
  { windowTokens: undefined, shortened: false },
])("a conversation stays within $windowTokens tokens", async ({ windowTokens, shortened }) => {
  await using folder = await tempFolder();
  const root = join(folder.path, "workspace");
  await mkdir(join(root, "app/src/pages"), { recursive: true });
  await writeFile(join(root, "app/src/pages/a.astro"), "<p>a canary of words</p>\n".repeat(600));
  await writeFile(join(root, "app/src/pages/b.astro"), "<p>b</p>\n".repeat(1200));
  const read = (name: string) => ({
    calls: [{ name: "read", input: { path: `app/src/pages/${name}.astro` } }],
  });
  server = await startModelServer([read("a"), read("b"), { text: "They are pages." }]);
  const config = { ...choice.config, baseUrl: server.url, windowTokens };
  const session = makeEditor({ ...choice, config, abilities: null }).open(
    agentContext(root, [], { mode: "ask" }),
  );
  await session.send(messageText("What are these?"));
  const shown = server.requests[2]?.raw.split("canary").length ?? 0;
  expect(shown - 1 < 600).toBe(shortened);
});

describe("the model in use", () => {
  const stored: ModelSetting = {
    provider: "anthropic",
    id: "claude-x",
    baseUrl: null,
    inputPrice: 3,
    outputPrice: null,
    cachedInputPrice: null,
    currency: "EUR",
    windowTokens: null,
    abilities: { tools: true, images: false, testedAt: "2026-01-01T00:00:00.000Z" },
  };
  const file = { provider: "openai" as const, id: "gpt-x", inputPrice: 1 };
  const current = (retained: Record<string, string>, config: typeof file | null) =>
    makeModelChoice({
      settings: { read: async ({ name }) => retained[name] ?? null },
      config,
    }).current();

  test("is the one in the settings, otherwise the one in vitrine.json, if any", async () => {
    expect(await current({}, null)).toBeNull();
    expect(await current({}, file)).toEqual({
      config: file,
      apiKey: null,
      abilities: null,
      from: "file",
    });
    expect(await current({ model: modelText(stored) }, file)).toEqual({
      config: { provider: "anthropic", id: "claude-x", inputPrice: 3, currency: "EUR" },
      apiKey: null,
      abilities: { tools: true, images: false },
      from: "settings",
    });
  });

  test("uses its own key, wherever it is chosen", async () => {
    const ofFile = { "model.apiKey": bindKey("sk-file", file) };
    expect((await current(ofFile, file))?.apiKey).toBe("sk-file");
    const chosen = { ...ofFile, model: modelText(stored) };
    expect((await current(chosen, file))?.apiKey).toBeNull();
    const own = { model: modelText(stored), "model.apiKey": bindKey("sk-own", stored) };
    expect((await current(own, file))?.apiKey).toBe("sk-own");
  });
});
