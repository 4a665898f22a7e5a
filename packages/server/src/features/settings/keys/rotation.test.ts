import { randomBytes } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bundleProgram } from "../../../../../../test/support/bundle.ts";
import { type FakeClock, fakeClock } from "../../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import { tempFolder, type TempFolder } from "../../../../../../test/support/temp.ts";
import { type Database, openDatabase } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { inSchema, siteSchema } from "../../../platform/db/schema-address.ts";
import { openLock } from "../../../platform/lock.ts";
import { makeOutbox, sealContext } from "../../../platform/mailer/outbox.ts";
import { nodeBinary } from "../../../platform/paths.ts";
import { run } from "../../../platform/process.ts";
import {
  createKeys,
  keyFiles,
  loadKeys,
  insecureKeyFiles,
  readKeyring,
  seal,
  unseal,
} from "../../../platform/secrets.ts";
import { openSiteRegistry } from "../../sites/registry.ts";
import { makeSettings } from "../settings.ts";
import { findSetting, putSetting } from "../store.ts";
import { dropOldKeys, keyRetentionMs, rotateSettingsKey } from "./rotation.ts";
import { countByKey, findSealed, listSealed, targetSealContext } from "./sealed-store.ts";

const secret = { name: "model.apiKey", secret: true, description: "" };
const other = { name: "mail", secret: true, description: "" };
const plain = { name: "budget", secret: false, description: "" };

let folder: TempFolder;
let keysDir: string;
let clock: FakeClock;
beforeEach(async () => {
  folder = await tempFolder();
  keysDir = join(folder.path, "keys");
  await createKeys(keysDir);
  clock = fakeClock();
});
afterEach(() => folder.remove());

const keyFile = () => join(keysDir, keyFiles.settings);
const dependenciesFor = ({ db }: Database) => ({
  db,
  keysDir,
  lockFile: join(folder.path, "rotation.lock"),
  now: clock.now(),
});

async function openSettings({ db }: Database) {
  const keyring = (await loadKeys(keysDir)).settings;
  return { settings: makeSettings({ db, keyring, clock }), keyring };
}

/** Two secrets, one plain setting, an email that waits, and the secret of a publish target. */
async function fill(database: Database): Promise<void> {
  const { settings, keyring } = await openSettings(database);
  await settings.set(secret, "first");
  await settings.set(other, "second");
  await settings.set(plain, "{}");
  const outbox = makeOutbox({ keyring, clock, baseUrl: "https://a.example", siteName: () => "A" });
  const content = { paragraphs: ["mailed words"] };
  await outbox.enqueue(database.db, { purpose: "test", to: "me@a.example", subject: "x", content });
  const { keyId, ciphertext } = seal(keyring, targetSealContext, "third");
  await sql`insert into publish_target (name, kind, settings, ciphertext, key_id, created_at, updated_at)
    values ('a', 's3', '{}', ${ciphertext}, ${keyId}, 'x', 'x')`.execute(database.db);
}

/** What is sealed, opened with the keys as they are now. */
async function opened({ db }: Database): Promise<string[]> {
  const { settings } = await loadKeys(keysDir);
  const texts: string[] = [];
  for (const location of await listSealed(db)) {
    const sealed = await findSealed(db, location);
    texts.push(sealed ? unseal(settings, location.name, sealed) : "");
  }
  return texts;
}

const whole = ["second", "first", expect.stringContaining("mailed words"), "third"];

describe.each(dialects)("on %s", (dialect) => {
  let maker: DatabaseMaker;
  let database: Database;
  beforeEach(async () => {
    maker = await startDialect(dialect);
    ({ database } = await maker.make());
    await migrate({ database, now: clock.now() });
    await fill(database);
  });
  afterEach(() => maker.close());

  test("everything is encrypted again, and the old key is removed once nobody can need it", async () => {
    const before = await findSetting(database.db, secret.name);
    const rotated = await rotateSettingsKey(dependenciesFor(database));
    expect(rotated).toMatchObject({ keyId: "k2", resealed: 4, dropped: [] });
    expect(rotated.retired).toMatchObject([{ id: "k1", sealed: 0 }]);
    expect(await countByKey(database.db)).toEqual(new Map([["k2", 4]]));
    expect(await opened(database)).toEqual(whole);
    expect(await findSetting(database.db, secret.name)).not.toEqual(before);
    expect(await findSetting(database.db, plain.name)).toMatchObject({ value: "{}" });
    expect((await dropOldKeys(dependenciesFor(database))).dropped).toEqual([]);
    clock.advance(keyRetentionMs);
    expect(await dropOldKeys(dependenciesFor(database))).toMatchObject({
      dropped: ["k1"],
      retired: [],
    });
    expect([...readKeyring(keysDir).keys.keys()]).toEqual(["k2"]);
    expect(await opened(database)).toEqual(whole);
    expect(await insecureKeyFiles(keysDir)).toEqual([]);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  });

  test("an old key stays while something is encrypted with it", async () => {
    const { db } = database;
    const stored = await findSetting(db, secret.name);
    await rotateSettingsKey(dependenciesFor(database));
    if (stored) await putSetting(db, secret.name, stored, "2026-01-01T00:00:00.000Z");
    clock.advance(keyRetentionMs);
    const { dropped, retired } = await dropOldKeys(dependenciesFor(database));
    expect([dropped, retired]).toMatchObject([[], [{ id: "k1", sealed: 1 }]]);
    const next = await rotateSettingsKey(dependenciesFor(database));
    expect(next).toMatchObject({ keyId: "k3", resealed: 4, dropped: [] });
    clock.advance(keyRetentionMs);
    const last = await rotateSettingsKey(dependenciesFor(database));
    expect(last).toMatchObject({ keyId: "k4", dropped: ["k1", "k2"] });
    expect(await opened(database)).toEqual(whole);
  });
});

describe("with SQLite", () => {
  let maker: DatabaseMaker;
  let database: Database;
  beforeEach(async () => {
    maker = await startDialect("sqlite");
    ({ database } = await maker.make());
    await migrate({ database, now: clock.now() });
    await fill(database);
  });
  afterEach(() => maker.close());

  test("a process with the old keys decrypts re-encrypted values and encrypts with the new key", async () => {
    const { settings } = await openSettings(database);
    await rotateSettingsKey(dependenciesFor(database));
    expect(await settings.read(secret)).toBe("first");
    const { settings: second } = await openSettings(database);
    await rotateSettingsKey(dependenciesFor(database));
    await second.set(secret, "third");
    clock.advance(keyRetentionMs);
    expect((await dropOldKeys(dependenciesFor(database))).dropped).toEqual(["k1", "k2"]);
    expect(await opened(database)).toContain("third");
    expect(await settings.read(secret)).toBe("third");
  });

  test("abuse 102: a missing, damaged or wrong key ends it before anything is changed", async () => {
    const good = await readFile(keyFile(), "utf8");
    const before = await findSetting(database.db, secret.name);
    const { settings } = await openSettings(database);
    const wrong = randomBytes(32).toString("base64url");
    for (const text of [
      "",
      '{"active":"k1","keys":{}}',
      JSON.stringify({ active: "k1", keys: { k1: wrong } }),
      JSON.stringify({ active: "k2", keys: { k2: wrong } }),
    ]) {
      await writeFile(keyFile(), text);
      const refusal = { code: "unavailable" };
      await expect(rotateSettingsKey(dependenciesFor(database))).rejects.toMatchObject(refusal);
      await expect(dropOldKeys(dependenciesFor(database))).rejects.toMatchObject(refusal);
      expect(await readFile(keyFile(), "utf8")).toBe(text);
    }
    await rm(keyFile());
    await expect(rotateSettingsKey(dependenciesFor(database))).rejects.toThrow(/is missing/);
    // Nor does a process that still has the key seal what nobody could open after its end.
    await expect(settings.set(secret, "lost")).rejects.toThrow(/is missing/);
    expect(await settings.read(secret)).toBe("first");
    expect(await readdir(keysDir)).not.toContain(keyFiles.settings);
    expect(await findSetting(database.db, secret.name)).toEqual(before);
    await writeFile(keyFile(), good);
    expect(await opened(database)).toEqual(whole);
  });

  test("abuse 103: a text that was moved to another place is no reason to seal it there anew", async () => {
    const { db } = database;
    const email = (await listSealed(db)).find(({ name }) => name === sealContext);
    const sealed = email && (await findSealed(db, email));
    if (!sealed) throw new Error("there is no mail");
    await putSetting(db, secret.name, { value: null, sealed }, "2026-01-01T00:00:00.000Z");
    const before = await readFile(keyFile(), "utf8");
    await expect(rotateSettingsKey(dependenciesFor(database))).rejects.toThrow(
      /model\.apiKey can't be/,
    );
    expect(await readFile(keyFile(), "utf8")).toBe(before);
    expect(await findSealed(db, { table: "setting", id: secret.name, name: secret.name })).toEqual(
      sealed,
    );
  });

  test("only one rotation runs at a time", async () => {
    const [first, second] = await Promise.all([
      rotateSettingsKey(dependenciesFor(database)),
      rotateSettingsKey(dependenciesFor(database)),
    ]);
    expect([first.keyId, second.keyId].toSorted()).toEqual(["k2", "k3"]);
    expect(await countByKey(database.db)).toEqual(new Map([["k3", 4]]));
    const lock = openLock(dependenciesFor(database).lockFile);
    await lock.run(async () => {
      expect(await opened(database)).toEqual(whole);
    });
    lock.close();
  });
});

test("an installation keeps the key that still encrypts its further sites' keys; a site has its own", async () => {
  const maker = await startDialect("postgres");
  const { database, address } = await maker.make();
  await migrate({ database, now: clock.now() });
  const url = address.url ?? "";
  const registry = await openSiteRegistry({
    paths: { siteRegistry: "" },
    databaseUrl: url,
    clock,
    ownHost: "home.example",
  });
  await registry.nodes.begin("eve");
  const incarnation = await registry.nodes.begin("anna");
  const sealed = { keyId: "k1", ciphertext: "x" };
  await registry.nodes.complete("anna", { incarnation, settings: "{}", keys: sealed });
  const siteDatabase = openDatabase({ url: inSchema(url, siteSchema("anna")), file: "" });
  await migrate({ database: siteDatabase, now: clock.now() });
  expect(await countByKey(siteDatabase.db)).toEqual(new Map());
  const deps = dependenciesFor(database);
  const { retired } = await rotateSettingsKey(deps);
  expect(retired).toMatchObject([{ id: "k1", sealed: 1 }]);
  clock.advance(keyRetentionMs);
  const later = dependenciesFor(database);
  expect((await dropOldKeys(later)).dropped).toEqual([]);
  await registry.nodes.reseal("k2", async () => ({ keyId: "k2", ciphertext: "y" }));
  expect((await dropOldKeys(later)).dropped).toEqual(["k1"]);
  await siteDatabase.close();
  await registry.close();
  await maker.close();
});

test("after being killed at any step, everything can be decrypted and the next rotation completes", async () => {
  const maker = await startDialect("sqlite");
  const { database, address } = await maker.make();
  await migrate({ database, now: clock.now() });
  await fill(database);
  const deps = dependenciesFor(database);
  const program = await bundleProgram("rotation-process.ts");
  // Everything opens, the key is written, three texts, all is done; then it ends by itself.
  for (const dieAt of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const args = [program.file, address.file, keysDir, deps.lockFile, String(dieAt)];
    const { exitCode } = await run(nodeBinary, args, { env: program.env, timeoutMs: 60_000 });
    expect(exitCode === 0).toBe(dieAt === 8);
    expect(await opened(database)).toEqual(whole);
  }
  await writeFile(`${keyFile()}.0123456789ab.tmp`, "half a file");
  const { keyId } = await rotateSettingsKey(deps);
  expect(await countByKey(database.db)).toEqual(new Map([[keyId, 4]]));
  expect(await readdir(keysDir)).toHaveLength(3);
  await program.remove();
  await maker.close();
});
