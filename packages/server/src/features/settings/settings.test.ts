import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { createKeys, keyFiles, loadKeys, insecureKeyFiles } from "../../platform/secrets.ts";
import { findDefinition } from "./all-settings.ts";
import { bindKey, modelText, type ModelSetting } from "./model-setting.ts";
import {
  budgetDefinition,
  tasksDefinition,
  makeSettings,
  modelDefinition,
  modelKeyDefinition,
  readBudget,
  readModel,
  readModelKey,
} from "./settings.ts";
import { findSetting, putSetting } from "./store.ts";

const secret = { name: "some.secret", secret: true, description: "" };
const other = { name: "mail.password", secret: true, description: "" };
const plain = { name: "mail.from", secret: false, description: "" };

let folder: TempFolder;
let keysDir: string;
let store: TestDatabase;
beforeEach(async () => {
  folder = await tempFolder();
  keysDir = join(folder.path, "keys");
  await createKeys(keysDir);
  store = await makeTestDatabase();
});
afterEach(async () => {
  await store.cleanup();
  await folder.remove();
});

async function open() {
  const keyring = (await loadKeys(keysDir)).settings;
  return makeSettings({ db: store.database.db, keyring, clock: fakeClock() });
}

async function storedSecret(name: string) {
  const stored = await findSetting(store.database.db, name);
  if (stored === null || stored.sealed === null) throw new Error(`${name} is not sealed`);
  return stored;
}

describe("settings", () => {
  test("a secret is stored encrypted, shown only as set, and decrypted with the key", async () => {
    const settings = await open();
    await settings.set(secret, "sk-very-secret");
    const stored = await storedSecret(secret.name);
    expect(JSON.stringify(stored)).not.toContain("very-secret");
    expect(stored.sealed.keyId).toBe("k1");
    expect(await settings.view(secret)).toEqual({ ...viewOf(secret), set: true, value: null });
    expect(await settings.read(secret)).toBe("sk-very-secret");
    await settings.set(secret, "sk-another");
    expect((await storedSecret(secret.name)).sealed).not.toEqual(stored.sealed);
    expect(await settings.unset(secret)).toBe(true);
    expect(await settings.unset(secret)).toBe(false);
    expect(await settings.read(secret)).toBeNull();
  });

  test("a plain setting is stored as its text", async () => {
    const settings = await open();
    await settings.set(plain, "  me@example.org\n");
    expect(await settings.view(plain)).toEqual({
      ...viewOf(plain),
      set: true,
      value: "me@example.org",
    });
    await expect(settings.set(plain, " ")).rejects.toMatchObject({ code: "validation_failed" });
    expect(await settings.read(plain)).toBe("me@example.org");
  });

  test("an unknown setting is refused with the list of known ones", () => {
    expect(() => findDefinition("nope")).toThrow(/model\.apiKey/);
  });

  test("abuse 103: sealed values swapped between settings do not open", async () => {
    const settings = await open();
    await settings.set(secret, "first");
    await settings.set(other, "second");
    const [a, b] = [await storedSecret(secret.name), await storedSecret(other.name)];
    await putSetting(store.database.db, secret.name, b, "2026-01-01T00:00:00.000Z");
    await putSetting(store.database.db, other.name, a, "2026-01-01T00:00:00.000Z");
    await expect(settings.read(secret)).rejects.toMatchObject({ code: "unavailable" });
    await expect(settings.read(other)).rejects.toMatchObject({ code: "unavailable" });
  });

  test("abuse 103: an altered, cut or empty ciphertext does not open", async () => {
    const settings = await open();
    await settings.set(secret, "value");
    const { sealed } = await storedSecret(secret.name);
    const bytes = Buffer.from(sealed.ciphertext, "base64url");
    const altered = Buffer.from(bytes);
    altered[bytes.length >> 1]! ^= 1;
    for (const wrong of [altered, bytes.subarray(0, 20), bytes.subarray(0, -1), Buffer.alloc(0)]) {
      const ciphertext = wrong.toString("base64url");
      const stored = { value: null, sealed: { keyId: sealed.keyId, ciphertext } };
      await putSetting(store.database.db, secret.name, stored, "2026-01-01T00:00:00.000Z");
      await expect(settings.read(secret)).rejects.toMatchObject({ code: "unavailable" });
    }
  });

  test("abuse 102: another key is told apart, and the sealed value stays", async () => {
    await (await open()).set(secret, "value");
    const before = await storedSecret(secret.name);
    const file = join(keysDir, keyFiles.settings);
    const wrong = Buffer.alloc(32, 7).toString("base64url");
    await writeFile(file, JSON.stringify({ active: "k1", keys: { k1: wrong } }));
    const settings = await open();
    await expect(settings.read(secret)).rejects.toThrow(/isn't the key that encrypted it/);
    await writeFile(file, JSON.stringify({ active: "k2", keys: { k2: wrong } }));
    await expect((await open()).read(secret)).rejects.toThrow(/encrypted with key k1/);
    expect(await storedSecret(secret.name)).toEqual(before);
  });

  test("abuse 102: a missing or damaged key file is named and none is made in its place", async () => {
    const file = join(keysDir, keyFiles.settings);
    for (const damaged of ["", "{}", "not json", '{"active":"k1","keys":{"k1":"short"}}']) {
      await writeFile(file, damaged);
      await expect(loadKeys(keysDir)).rejects.toThrow(/settings\.key is damaged/);
    }
    await rm(file);
    await expect(loadKeys(keysDir)).rejects.toThrow(/settings\.key is missing/);
    expect(await readdir(keysDir)).not.toContain(keyFiles.settings);
  });

  test("a retired key still decrypts what it encrypted", async () => {
    await (await open()).set(secret, "old");
    const file = join(keysDir, keyFiles.settings);
    const k1 = (await loadKeys(keysDir)).settings.keys.get("k1")?.toString("base64url");
    const k2 = Buffer.alloc(32, 9).toString("base64url");
    await writeFile(file, JSON.stringify({ active: "k2", keys: { k1, k2 } }));
    const settings = await open();
    expect(await settings.read(secret)).toBe("old");
    await settings.set(secret, "new");
    expect((await storedSecret(secret.name)).sealed.keyId).toBe("k2");
    expect(await settings.read(secret)).toBe("new");
  });

  test("keys have mode 0600 in a folder with mode 0700 and are created once", async () => {
    expect((await stat(keysDir)).mode & 0o777).toBe(0o700);
    expect(await insecureKeyFiles(keysDir)).toEqual([]);
    const before = await loadKeys(keysDir);
    expect(await createKeys(keysDir)).toEqual([]);
    const after = await loadKeys(keysDir);
    expect([after.runner, after.preview]).toEqual([before.runner, before.preview]);
    expect(after.settings.keys).toEqual(before.settings.keys);
    expect(await readdir(keysDir)).toHaveLength(3);
  });
});

describe("the model", () => {
  const anthropic = { provider: "anthropic" as const, id: "claude" };
  const stored: ModelSetting = {
    ...anthropic,
    baseUrl: null,
    inputPrice: 3,
    outputPrice: null,
    cachedInputPrice: null,
    currency: "USD",
    windowTokens: null,
    abilities: { tools: true, images: false, testedAt: "2026-01-01T00:00:00.000Z" },
  };

  test("is validated, and its tested abilities are reset", async () => {
    const settings = await open();
    await settings.write([[modelDefinition, modelText(stored)]]);
    expect(await readModel(settings)).toEqual(stored);
    await settings.set(
      modelDefinition,
      JSON.stringify({ ...anthropic, inputPrice: 3, currency: " usd " }),
    );
    expect(await readModel(settings)).toEqual({ ...stored, abilities: null });
  });

  test.each<[string, unknown, string]>([
    ["no JSON", "claude", "malformed_json"],
    ["a key in it", { ...anthropic, apiKey: "sk" }, "validation_failed"],
    ["an unknown provider", { provider: "acme", id: "x" }, "validation_failed"],
    ["a name of two words", { provider: "openai", id: "gpt 5" }, "validation_failed"],
    ["no address", { provider: "openai-compatible", id: "x" }, "validation_failed"],
    ["a price below nothing", { ...anthropic, inputPrice: -1 }, "validation_failed"],
    ...[
      "localhost:11434/v1",
      "ftp://models.test/v1",
      "file:///etc/passwd",
      "https://name:word@models.test/v1",
      "https://models.test/v1?key=sk",
      "https://models.test/v1#x",
    ].map(
      (baseUrl) =>
        [baseUrl, { ...anthropic, baseUrl }, "validation_failed"] satisfies [
          string,
          unknown,
          string,
        ],
    ),
  ])("refused: %s", async (_, input, code) => {
    const settings = await open();
    const text = typeof input === "string" ? input : JSON.stringify(input);
    await expect(settings.set(modelDefinition, text)).rejects.toMatchObject({ code });
    expect(await readModel(settings)).toBeNull();
  });

  test("a damaged one is reported instead of ignored", async () => {
    const settings = await open();
    await settings.write([[modelDefinition, '{"provider":"acme"}']]);
    await expect(readModel(settings)).rejects.toMatchObject({ code: "unavailable" });
  });

  test("abuse 96: a key is for its provider and address, and for no other", async () => {
    const settings = await open();
    const local = { provider: "openai-compatible" as const, baseUrl: "http://LOCALHOST:80/v1/" };
    await settings.set(modelKeyDefinition, bindKey("sk-1", anthropic));
    const keyOf = (endpoint: Parameters<typeof readModelKey>[1]) =>
      readModelKey(settings, endpoint);
    expect(await keyOf({ ...anthropic, baseUrl: "https://api.anthropic.com/v1/" })).toBe("sk-1");
    expect(await keyOf({ provider: "openai" })).toBeNull();
    expect(await keyOf({ ...anthropic, baseUrl: "https://api.anthropic.com" })).toBeNull();
    expect(await keyOf({ ...anthropic, baseUrl: "https://evil.test/v1" })).toBeNull();
    expect(await keyOf(local)).toBeNull();
    await settings.set(modelKeyDefinition, bindKey("sk-2", local));
    expect(await keyOf({ ...local, baseUrl: "http://localhost/v1" })).toBe("sk-2");
    expect(await keyOf({ ...local, baseUrl: "http://localhost:8080/v1" })).toBeNull();
    expect(await keyOf(anthropic)).toBeNull();
  });

  test("a key without a model is neither stored nor used", async () => {
    const settings = await open();
    const refusal = { code: "validation_failed" };
    await expect(settings.set(modelKeyDefinition, "sk-1")).rejects.toMatchObject(refusal);
    expect(() => bindKey("sk 1\r\nx-evil: 1", anthropic)).toThrow(/is invalid/);
    await settings.write([[modelKeyDefinition, "sk-from-before"]]);
    expect(await readModelKey(settings, anthropic)).toBeNull();
  });

  test("a value is replaced only if the value that it is based on is still stored", async () => {
    const settings = await open();
    const [first, second] = [modelText(stored), modelText({ ...stored, abilities: null })];
    await settings.write([[modelDefinition, first]]);
    expect(await settings.replace(modelDefinition, second, first)).toBe(false);
    expect(await settings.replace(modelDefinition, first, second)).toBe(true);
    expect(await settings.read(modelDefinition)).toBe(second);
  });

  test("several settings are written together or not at all", async () => {
    const settings = await open();
    const bad = {
      get name(): string {
        throw new Error("it breaks here");
      },
      secret: false,
      description: "",
    };
    await expect(
      settings.write([
        [modelDefinition, modelText(stored)],
        [bad, "x"],
      ]),
    ).rejects.toThrow("it breaks here");
    expect(await readModel(settings)).toBeNull();
  });
});

test("a budget has an optional limit for each period and nothing else", async () => {
  const settings = await open();
  const none = { tokens: null, cost: null };
  expect(await readBudget(settings)).toEqual({ run: none, day: none, month: none });
  const input = { run: { tokens: 1000, cost: 0.5 }, day: none, month: none };
  await settings.set(budgetDefinition, JSON.stringify(input));
  expect(await readBudget(settings)).toEqual(input);
  const refusal = { code: "validation_failed" };
  for (const wrong of [
    {},
    { ...input, year: none },
    { ...input, day: { tokens: 0, cost: null } },
    { ...input, day: { tokens: 1.5, cost: null } },
    { ...input, day: { tokens: null, cost: -1 } },
  ]) {
    await expect(settings.set(budgetDefinition, JSON.stringify(wrong))).rejects.toMatchObject(
      refusal,
    );
  }
  expect(await readBudget(settings)).toEqual(input);
});

test("the queue's setting contains only whether it is paused", async () => {
  const settings = await open();
  const { name } = tasksDefinition;
  for (const wrong of ["true", "{}", '{"paused":1}', '{"paused":true,"until":"noon"}', "[]"]) {
    await expect(settings.set(tasksDefinition, wrong)).rejects.toMatchObject({
      code: "validation_failed",
    });
  }
  await expect(settings.set(tasksDefinition, "{")).rejects.toMatchObject({
    code: "malformed_json",
  });
  expect(await settings.view(tasksDefinition)).toMatchObject({ name, set: false });
  await settings.set(tasksDefinition, ' {"paused": true} ');
  expect(await settings.view(tasksDefinition)).toMatchObject({ value: '{"paused":true}' });
});

function viewOf({ name, secret: isSecret }: { name: string; secret: boolean }) {
  return { name, secret: isSecret };
}
