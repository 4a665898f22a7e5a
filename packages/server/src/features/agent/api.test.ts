import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callTool } from "../../../../../test/support/vision-model.ts";
import { type AdminApp, startAdminApp } from "../../../../../test/support/admin.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import {
  type ModelServer,
  type ModelStep,
  type SeenRequest,
  startModelServer,
} from "../../../../../test/support/model-server.ts";
import {
  makeSettings,
  modelDefinition,
  modelKeyDefinition,
  type Settings,
} from "../settings/settings.ts";
import type { Config } from "../../platform/config.ts";
import { registerModelSettings } from "./api.ts";
import { type Ledger, makeLedger } from "./ledger/ledger.ts";
import { currencyInUse, makeModelChoice } from "./model-choice.ts";
import type { ModelView, TestedModel } from "./schema.ts";

const key = "sk-canary-key-of-the-owner";
const keyring = { active: "k1", keys: new Map([["k1", randomBytes(32)]]) };
const none = { tokens: null, cost: null };

let app: AdminApp;
let cookie: string;
let settings: Settings;
let ledger: Ledger;
let choice: ReturnType<typeof makeModelChoice>;
let servers: ModelServer[];

async function start(config: Config["model"] = null): Promise<void> {
  app = await startAdminApp({
    register(server, { guard, db, clock }) {
      settings = makeSettings({ db, keyring, clock });
      choice = makeModelChoice({ settings, config });
      const currency = () => currencyInUse(choice);
      ledger = makeLedger({ db, clock, settings, owner: { timeZone: "UTC" }, currency });
      registerModelSettings(server, {
        guard,
        settings,
        choice,
        ledger,
        clock,
        runTokens: 400_000,
      });
    },
  });
  cookie = await app.signIn();
}

/** A model that calls the requested tool and can't see images. */
function answering(request: SeenRequest): ModelStep {
  const { headers } = request;
  const given = headers["x-api-key"] ?? headers["authorization"] ?? "";
  if (!String(given).includes(key)) return { status: 401 };
  if (request.tools.length > 0) return callTool(request);
  return { text: "I see nothing." };
}

async function modelServer(step: (request: SeenRequest) => ModelStep = answering) {
  const server = await startModelServer(Array.from({ length: 20 }, () => step));
  servers.push(server);
  return server;
}

async function ask<T>(path: string, body?: unknown) {
  const answer = await app.ask(`/api/adminsettings/${path}`, {
    headers: { cookie },
    ...(body === undefined ? {} : { body }),
  });
  const { data, error } = JSON.parse(answer.text) as {
    data: T;
    error: { code: string; message: string; fields?: Record<string, string> } | null;
  };
  return { status: answer.status, headers: answer.headers, text: answer.text, data, error };
}

beforeEach(() => {
  servers = [];
});
afterEach(async () => {
  await app.cleanup();
  for (const server of servers) await server.close();
});

function reply(server: ModelServer, given: object = {}) {
  return {
    provider: "anthropic",
    id: "claude-x",
    baseUrl: server.url,
    apiKey: key,
    inputPrice: 3,
    outputPrice: 15,
    currency: "EUR",
    ...given,
  };
}

describe("the model", () => {
  test("isn't set at first, is tested when it is chosen, and its key is never returned", async () => {
    await start();
    expect((await ask<ModelView>("model")).data).toMatchObject({ from: null, keySet: false });
    const server = await modelServer();
    const saved = await ask<TestedModel>("model", reply(server));
    expect(saved.status).toBe(200);
    const abilities = { tools: true, images: false, testedAt: "2026-01-15T12:00:00.000Z" };
    expect(saved.data).toEqual({
      model: {
        from: "settings",
        provider: "anthropic",
        id: "claude-x",
        baseUrl: server.url,
        inputPrice: 3,
        outputPrice: 15,
        cachedInputPrice: null,
        currency: "EUR",
        windowTokens: null,
        keySet: true,
        abilities,
      },
      test: {
        responds: true,
        tools: true,
        images: false,
        notes: ["It didn't recognize what a test image shows."],
      },
    });
    const shown = await ask<ModelView>("model");
    expect(shown.data).toEqual(saved.data.model);
    expect(shown.headers["cache-control"]).toBe("no-store");
    expect(saved.text + shown.text + app.logged()).not.toContain(key);
    expect(await choice.current()).toMatchObject({
      config: { id: "claude-x", baseUrl: server.url, inputPrice: 3, currency: "EUR" },
      apiKey: key,
      abilities: { tools: true, images: false },
      from: "settings",
    });
    // Three questions of 100 and 20 tokens.
    expect((await ledger.spent()).day).toEqual({
      tokens: 360,
      cost: expect.closeTo((300 * 3 + 60 * 15) / 1e6, 9),
    });
  });

  test("one that doesn't respond changes nothing, and the reason is given", async () => {
    await start();
    const server = await modelServer();
    await ask("model", reply(server));
    const before = await ask("model");
    const wrong = await ask("model", reply(server, { id: "other", apiKey: "sk-wrong" }));
    expect([wrong.status, wrong.error]).toMatchObject([
      502,
      {
        code: "upstream_failed",
        message: "The model provider refused the API key. Check the key under Settings → Model.",
      },
    ]);
    const gone = await ask("model", reply(server, { baseUrl: "http://127.0.0.1:9/v1" }));
    expect([gone.status, gone.error?.message]).toEqual([
      502,
      "The model provider can't be reached.",
    ]);
    expect((await ask("model")).data).toEqual(before.data);
    expect((await choice.current())?.apiKey).toBe(key);
  });

  test("abuse 96: the stored key is sent to no other provider or address", async () => {
    await start();
    const [own, other] = [await modelServer(), await modelServer(() => ({ text: "ready" }))];
    await ask("model", reply(own));
    const requested = own.requests.length;
    const { apiKey: _key, ...keyless } = reply(other);
    const local = { provider: "openai-compatible" };
    for (const body of [
      keyless,
      { ...keyless, ...local },
      { ...keyless, provider: "openai", baseUrl: own.url },
      { ...keyless, ...local, baseUrl: own.url },
      { ...keyless, baseUrl: null },
      { ...keyless, apiKey: null },
      { ...keyless, apiKey: "" },
    ]) {
      const answer = await ask("model", body);
      expect(answer.status).toBe(422);
      expect(answer.error?.fields).toHaveProperty("apiKey");
    }
    expect(other.requests).toHaveLength(0);
    expect(own.requests).toHaveLength(requested);
    // In two steps neither: without a key at another address, and then a test.
    const moved = await ask<TestedModel>("model", { ...keyless, ...local, apiKey: null });
    expect([moved.status, moved.data.model.keySet]).toEqual([200, false]);
    await ask("model/test", {});
    expect(other.requests.length).toBeGreaterThan(3);
    expect(JSON.stringify(other.requests)).not.toContain(key);
    // At its own place the key need not be said again.
    await ask("model", reply(own));
    const renamed = await ask<TestedModel>("model", { ...keyless, baseUrl: own.url, id: "newer" });
    expect([renamed.status, renamed.data.model.id]).toEqual([200, "newer"]);
  });

  test("a key whose model was changed elsewhere in the meantime isn't used, whoever changed it", async () => {
    await start();
    const [own, other] = [await modelServer(), await modelServer()];
    await ask("model", reply(own));
    await settings.set(
      modelDefinition,
      JSON.stringify({ provider: "anthropic", id: "x", baseUrl: other.url }),
    );
    expect(await choice.current()).toMatchObject({ apiKey: null, abilities: null });
    expect((await ask<ModelView>("model")).data).toMatchObject({ id: "x", keySet: false });
    const answer = await ask("model/test", {});
    expect([answer.status, answer.error?.code]).toEqual([503, "model_not_configured"]);
    expect(other.requests).toHaveLength(0);
  });

  test("the target of a redirect isn't requested", async () => {
    await start();
    const other = await modelServer();
    const server = await modelServer(() => ({
      status: 307,
      headers: { location: `${other.url}/messages` },
    }));
    expect((await ask("model", reply(server))).status).toBe(502);
    expect(other.requests).toHaveLength(0);
  });

  test.each([
    ["an unknown key", { system: "x" }, "system"],
    ["another scheme", { baseUrl: "file:///etc/passwd" }, "baseUrl"],
    ["a name and password", { baseUrl: "https://a:b@models.test" }, "baseUrl"],
    ["a query", { baseUrl: "https://models.test/?key=1" }, "baseUrl"],
    ["no address", { provider: "openai-compatible", baseUrl: null }, "baseUrl"],
    ["an unknown provider", { provider: "acme" }, "provider"],
    ["no name", { id: " " }, "id"],
    ["a price in words", { inputPrice: "cheap" }, "inputPrice"],
    ["a currency of another kind", { currency: "€" }, "currency"],
    ["a key that is none", { apiKey: "sk 1\r\nx: y" }, "apiKey"],
  ])("refused: %s", async (_, given, field) => {
    await start();
    const server = await modelServer();
    const answer = await ask("model", reply(server, given));
    expect([answer.status, answer.error?.code]).toEqual([422, "validation_failed"]);
    expect(Object.keys(answer.error?.fields ?? {}).join()).toContain(field);
    expect(server.requests).toHaveLength(0);
  });

  test("tested again, its abilities are stored, but not for another one chosen in the meantime", async () => {
    await start();
    let sees = false;
    const server = await modelServer((request) => {
      if (sees && request.tools.length > 0) return { text: "no" };
      return answering(request);
    });
    await ask("model", reply(server));
    sees = true;
    app.clock.advance(60_000);
    const again = await ask<TestedModel>("model/test", {});
    expect(again.data.model.abilities).toEqual({
      tools: false,
      images: false,
      testedAt: "2026-01-15T12:01:00.000Z",
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = await startModelServer([
      async (request) => {
        await promise;
        return answering(request);
      },
      answering,
      answering,
    ]);
    servers.push(slow);
    await settings.write([
      [modelKeyDefinition, JSON.stringify({ for: `anthropic ${slow.url}`, key })],
    ]);
    const before = await settings.read(modelDefinition);
    await settings.write([[modelDefinition, (before ?? "").replace(server.url, slow.url)]]);
    const testing = ask<TestedModel>("model/test", {});
    await eventually(() => expect(slow.requests).toHaveLength(1));
    await settings.write([[modelDefinition, before]]);
    resolve();
    expect((await testing).data).toMatchObject({
      test: { tools: true },
      model: { baseUrl: server.url, abilities: { tools: false } },
    });
  });

  test("removed, the model in vitrine.json is in use again, and the key is deleted", async () => {
    await start({ provider: "openai-compatible", id: "local", baseUrl: "http://localhost:1/v1" });
    const file = { from: "file", provider: "openai-compatible", id: "local", abilities: null };
    expect((await ask<ModelView>("model")).data).toMatchObject(file);
    await ask("model", reply(await modelServer()));
    expect((await ask<ModelView>("model")).data).toMatchObject({ from: "settings" });
    expect((await ask<ModelView>("model/clear", {})).data).toMatchObject({
      ...file,
      keySet: false,
    });
    expect(await settings.read(modelKeyDefinition)).toBeNull();
  });

  test("a damaged one is reported, and another can be chosen over it", async () => {
    await start();
    await settings.write([[modelDefinition, "{"]]);
    expect((await ask("model")).error).toMatchObject({ code: "unavailable" });
    expect((await ask("model", reply(await modelServer()))).status).toBe(200);
    expect((await ask<ModelView>("model")).data.id).toBe("claude-x");
  });

  test("without a model, a test says so", async () => {
    await start();
    const answer = await ask("model/test", {});
    expect([answer.status, answer.error?.code]).toEqual([503, "model_not_configured"]);
  });

  test("a client that disconnects ends the test, and nothing changes", async () => {
    await start();
    const server = await startModelServer([{ hang: true }]);
    servers.push(server);
    const left = new AbortController();
    const gone = fetch(`${app.url}/api/adminsettings/model`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify(reply(server)),
      signal: left.signal,
    }).catch((error: unknown) => (error as Error).name);
    await eventually(() => expect(server.requests).toHaveLength(1));
    left.abort();
    expect(await gone).toBe("AbortError");
    await eventually(() => expect(server.left()).toBe(1));
    expect((await ask<ModelView>("model")).data.from).toBeNull();
  });
});

describe("the budget", () => {
  test("is set as a whole and shows what is spent", async () => {
    await start();
    expect((await ask("budget")).data).toEqual({
      run: none,
      day: none,
      month: none,
      spent: { day: { tokens: 0, cost: null }, month: { tokens: 0, cost: null } },
      currency: null,
      priced: false,
      usualRunTokens: 400_000,
    });
    await ask("model", reply(await modelServer()));
    const body = {
      run: { tokens: 50_000, cost: 1.5 },
      day: none,
      month: { tokens: null, cost: 20 },
    };
    const set = await ask("budget", body);
    expect(set.data).toMatchObject({
      ...body,
      spent: { day: { tokens: 360 } },
      currency: "EUR",
      priced: true,
    });
    expect((await ask("budget")).data).toEqual(set.data);
    expect(await ledger.ceilings()).toEqual(body);
  });

  test("a test that reaches a limit counts; above the limit, no model is tested or changed", async () => {
    await start();
    await ask("budget", { run: none, day: { tokens: 1, cost: null }, month: none });
    const server = await modelServer();
    const saved = await ask<TestedModel>("model", reply(server));
    expect([saved.status, saved.data.test.tools]).toEqual([200, true]);
    const requested = server.requests.length;
    for (const refused of [
      await ask("model", reply(server, { id: "other" })),
      await ask("model/test", {}),
    ]) {
      expect([refused.status, refused.error?.code]).toEqual([429, "throttled"]);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    }
    expect(server.requests).toHaveLength(requested);
    expect((await ask<ModelView>("model")).data.id).toBe("claude-x");
  });

  test("a test without a result is booked, too", async () => {
    await start();
    const half = { half: "reset", text: "x".repeat(300) } as const;
    expect((await ask("model", reply(await modelServer(() => half)))).status).toBe(502);
    const before = (await ledger.spent()).day.tokens;
    // By estimate: asked twice, and each time half of a hundred tokens came.
    expect(before).toBeGreaterThan(100);
    const stopping = (request: SeenRequest): ModelStep => {
      if (request.tools.length > 0) return { status: 401 };
      return request.raw.includes("three upright bands") ? half : answering(request);
    };
    expect((await ask("model", reply(await modelServer(stopping)))).status).toBe(502);
    expect((await ledger.spent()).day.tokens).toBeGreaterThanOrEqual(before + 120);
  });

  test.each([
    ["a span is missing", { run: none, day: none }],
    ["an unknown span", { run: none, day: none, month: none, year: none }],
    ["nothing as a ceiling", { run: none, day: { tokens: 0, cost: null }, month: none }],
    ["half a token", { run: none, day: { tokens: 1.5, cost: null }, month: none }],
    ["less than nothing", { run: none, day: { tokens: null, cost: -1 }, month: none }],
  ])("refused: %s", async (_, body) => {
    await start();
    expect((await ask("budget", body)).status).toBe(422);
  });
});

test.each(["model", "budget"])("%s is for the admin only", async (path) => {
  await start();
  cookie = "";
  expect((await ask(path)).status).toBe(401);
  expect((await ask(path, {})).status).toBe(401);
});
