import { randomBytes } from "node:crypto";
import { Command } from "commander";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import type { CliContext } from "../../platform/cli.ts";
import type { Config } from "../../platform/config.ts";
import { registerSettingCommands } from "./cli.ts";
import { makeSettings, readModel, readModelKey } from "./settings.ts";

const keyring = { active: "k1", keys: new Map([["k1", randomBytes(32)]]) };
let store: TestDatabase;
let printed: unknown[];

beforeEach(async () => {
  store = await makeTestDatabase();
  printed = [];
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
    nothingToDo: (data: unknown) => printed.push(data),
    readSecret: async () => stdin,
  } as unknown as CliContext;
  const program = new Command().exitOverride();
  registerSettingCommands(program, context);
  await program.parseAsync(["setting", ...args], { from: "user" });
}

const open = () => makeSettings({ db: store.database.db, keyring, clock: fakeClock() });
const keyOf = (place: Parameters<typeof readModelKey>[1]) => readModelKey(open(), place);

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

test("without a stored model the key is for vitrine.json's", async () => {
  const file = { provider: "openai" as const, id: "gpt-x" };
  await setting(["set", "model.apiKey"], "sk-file", file);
  expect(await keyOf(file)).toBe("sk-file");
  expect(await keyOf({ provider: "anthropic" })).toBeNull();
});

test("a key for no model is refused, and so is what can be none", async () => {
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
