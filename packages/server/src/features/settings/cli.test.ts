import { randomBytes } from "node:crypto";
import { Command } from "commander";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import type { CliContext } from "../../platform/cli.ts";
import type { Config } from "../../platform/config.ts";
import { registerSettingCommands } from "./cli.ts";
import { readProviders } from "./identity/identity-settings.ts";
import { makeLiveSettings } from "./live-settings.ts";
import { readTheme } from "./theme/theme-setting.ts";
import { makeSettings, readModel, readModelKey } from "./settings.ts";
import { ownerDefinition, readAccountsSetting, readAutofix, readOwner } from "./site-settings.ts";

const keyring = { active: "k1", keys: new Map([["k1", randomBytes(32)]]) };
let store: TestDatabase;
let printed: unknown[];
let followed: string[];

beforeEach(async () => {
  store = await makeTestDatabase();
  printed = [];
  followed = [];
});
afterEach(() => store.cleanup());

/** Runs `vitrine setting …` with what comes on stdin, where vitrine.json names this model. */
async function setting(args: string[], stdin = "", model: Config["model"] = null): Promise<void> {
  const context = {
    clock: fakeClock(),
    open: async () => ({
      config: { model },
      database: store.database,
      keys: { settings: keyring },
    }),
    print: (data: unknown) => printed.push(data),
    printNothingToDo: (data: unknown) => printed.push(data),
    readSecret: async () => stdin,
  } as unknown as CliContext;
  const program = new Command().exitOverride();
  const onSiteChange = async (_: unknown, reason: string) => void followed.push(reason);
  registerSettingCommands(program, context, { onSiteChange });
  await program.parseAsync(["setting", ...args], { from: "user" });
}

const open = () => makeSettings({ db: store.database.db, keyring, clock: fakeClock() });
const keyOf = (endpoint: Parameters<typeof readModelKey>[1]) => readModelKey(open(), endpoint);

test("abuse 96: a key goes with the model that is in use when it is set, and with no later one", async () => {
  await setting(["set", "model"], '{"provider":"anthropic","id":"claude-x"}');
  await setting(["set", "model.apiKey"], "sk-canary");
  expect(await keyOf({ provider: "anthropic" })).toBe("sk-canary");
  const elsewhere = { provider: "openai-compatible" as const, baseUrl: "http://evil.test/v1" };
  await setting(["set", "model"], JSON.stringify({ ...elsewhere, id: "x" }));
  expect((await readModel(open()))?.baseUrl).toBe(elsewhere.baseUrl);
  expect(await keyOf(elsewhere)).toBeNull();
  await setting(["list"]);
  expect(JSON.stringify(printed)).not.toContain("sk-canary");
  expect(printed.at(-1)).toMatchObject({
    settings: expect.arrayContaining([
      expect.objectContaining({ name: "model", value: expect.stringContaining("evil.test") }),
      expect.objectContaining({ name: "model.apiKey", set: true, value: null }),
      expect.objectContaining({ name: "budget", set: false }),
    ]),
  });
});

test("the site owner, sign-up, autofix, and identity providers are set as JSON", async () => {
  const config = { owner: { name: "Mara", timeZone: "UTC" }, qa: { autofix: true }, variables: {} };
  await setting(["set", "owner"], '{"name":"Ada","timeZone":"Asia/Tokyo"}');
  await setting(["set", "accounts"], '{"signUp":"closed"}');
  await setting(["set", "autofix"], '{"enabled":false}');
  expect(await readOwner(open(), config)).toEqual({ name: "Ada", timeZone: "Asia/Tokyo" });
  expect(await readAccountsSetting(open())).toEqual({ signUp: "closed" });
  expect(await readAutofix(open(), config)).toBe(false);
  await setting(["unset", "owner"]);
  expect(await readOwner(open(), config)).toEqual(config.owner);
  const provider = { id: "work", kind: "github", name: "Work", clientId: "id" };
  const list = [{ ...provider, clientSecret: "canary" }];
  await setting(["set", "identity"], JSON.stringify(list));
  expect(await readProviders(open())).toMatchObject(list);
  await setting(["get", "identity"]);
  expect(JSON.stringify(printed)).not.toContain("canary");
});

test("the theme is a word, and setting or removing it rebuilds the site", async () => {
  const { db } = store.database;
  expect(await readTheme(db)).toBeNull();
  await setting(["set", "look"], "moss");
  expect(await readTheme(db)).toBe("moss");
  await expect(setting(["set", "theme"], "neon")).rejects.toMatchObject({
    message: "theme: must be one of ink, kiln, moss, vellum.",
  });
  await setting(["unset", "theme"]);
  await setting(["unset", "theme"]);
  expect(await readTheme(db)).toBeNull();
  await setting(["set", "autofix"], '{"enabled":false}');
  expect(followed).toEqual(["the theme was changed", "the theme was changed"]);
  await setting(["set", "accounts"], '{"signUp":"closed"}');
  expect(followed.slice(2)).toEqual(["who can create an account was changed"]);
});

test.each([
  ["owner", '{"name":"Ada"}'],
  ["owner", '{"name":"Ada","timeZone":"Mars"}'],
  ["accounts", '{"signUp":"sometimes"}'],
  ["autofix", '{"enabled":1}'],
  ["identity", '[{"id":"a","kind":"github","name":"A","clientId":"x"}]'],
  ["identity", '[{"id":"a","kind":"oidc","name":"A","clientId":"x","clientSecret":"s"}]'],
  ["identity", "{}"],
  ["mail", "{}"],
])("an invalid %s is refused: %s", async (name, text) => {
  await expect(setting(["set", name], text)).rejects.toMatchObject({ code: "validation_failed" });
  await setting(["get", name]);
  expect(printed.at(-1)).toMatchObject({ set: false });
});

test("settings of the site are cached, and if one can't be read, the cached value stays", async () => {
  const config = { owner: { name: "Mara", timeZone: "UTC" }, qa: { autofix: true }, variables: {} };
  const facts = makeLiveSettings({ settings: open(), config });
  expect(facts.now()).toEqual({ owner: config.owner, autofix: true });
  await setting(["set", "owner"], '{"name":"Ada","timeZone":"UTC"}');
  await setting(["set", "autofix"], '{"enabled":false}');
  expect(facts.now().owner.name).toBe("Mara");
  expect(await facts.refresh()).toEqual({
    owner: { name: "Ada", timeZone: "UTC" },
    autofix: false,
  });
  await open().write([[ownerDefinition, "{}"]]);
  await expect(facts.refresh()).rejects.toMatchObject({ code: "unavailable" });
  expect(facts.now().owner.name).toBe("Ada");
});

test("without a stored model, the key is for the model in vitrine.json", async () => {
  const file = { provider: "openai" as const, id: "gpt-x" };
  await setting(["set", "model.apiKey"], "sk-file", file);
  expect(await keyOf(file)).toBe("sk-file");
  expect(await keyOf({ provider: "anthropic" })).toBeNull();
});

test("a key without a model is refused, and so is an invalid key", async () => {
  await expect(setting(["set", "model.apiKey"], "sk-nobody")).rejects.toMatchObject({
    code: "invalid_state",
  });
  await setting(["set", "model"], '{"provider":"anthropic","id":"claude-x"}');
  await expect(setting(["set", "model.apiKey"], "two words")).rejects.toMatchObject({
    code: "validation_failed",
    fields: { apiKey: expect.any(String) },
  });
  await expect(setting(["set", "model"], "claude")).rejects.toMatchObject({
    code: "malformed_json",
  });
});
