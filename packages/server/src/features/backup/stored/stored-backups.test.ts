import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { installSmall, vitrine } from "../../../../../../test/support/backups.ts";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { compileCache } from "../../../../../../test/support/compile-cache.ts";
import { type DatabaseMaker, startDialect } from "../../../../../../test/support/postgres.ts";
import {
  type S3Server,
  startS3Server,
} from "../../../../../../test/support/publish-targets/s3-server.ts";
import { tempFolder, type TempFolder } from "../../../../../../test/support/temp.ts";
import { loadConfig } from "../../../platform/config.ts";
import { type Database, openDatabase } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { exists } from "../../../platform/files.ts";
import { platformRoot } from "../../../platform/paths.ts";
import { readLastBackup } from "../../../platform/last-backup.ts";
import { type ObjectStore, openObjectStore } from "../../../platform/storage/object-store.ts";
import { findLastBackup } from "../../metrics/store.ts";
import { openSharedStorage } from "../../storage/shared-storage.ts";
import { insertRelease, setShared } from "../../storage/store.ts";
import { backUp as backUpToFile } from "../backup.ts";
import { backUpToStore } from "../backup-to-store.ts";
import { openSharedState } from "../shared-state.ts";
import { takeSnapshot } from "../snapshot.ts";
import { removeUnusedBackups, storeBackup } from "./stored-backups.ts";

// Each of them is many files, forced to the disk.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

let maker: DatabaseMaker;
let server: S3Server;
let folder: TempFolder;
let dir: string;
let keys: string;
let url: string;
let database: Database;
let env: Record<string, string>;
let objects: ObjectStore;
let into: string;
let count = 0;

/** An empty database that no restore has filled yet. */
let spare = "";

const emptyDatabase = async () => (await maker.make()).address.url ?? "";

/** What names the object store below a prefix. */
const storeAt = (prefix: string) => ({
  STORAGE_URL: `s3://${server.bucket}/${prefix}?endpoint=${server.endpoint}`,
  AWS_ACCESS_KEY_ID: server.accessKeyId,
  AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
});

beforeAll(async () => {
  folder = await tempFolder();
  maker = await startDialect("postgres", { empty: true });
  server = await startS3Server();
  dir = join(folder.path, "instance");
  keys = join(dir, "data/keys");
  await installSmall(dir);
});
beforeEach(async () => {
  count += 1;
  url = await emptyDatabase();
  database = openDatabase({ url, file: "" });
  await migrate({ database, now: 0 });
  env = { VITRINE_DIR: dir, DATABASE_URL: url, ...storeAt(`test-${count}`) };
  const { storage } = loadConfig(env);
  if (storage === null) throw new Error("There is no object store.");
  objects = openObjectStore(storage, { pause: async () => {} });
  into = join(folder.path, "back");
});
afterEach(async () => {
  server.onRequest = undefined;
  await objects.close();
  await database.close();
  await rm(into, { recursive: true, force: true });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await maker?.close();
  await folder.remove();
});

interface Listed {
  name: string;
  size: number;
  key: string;
}

async function backUp(): Promise<string> {
  const { code, data } = await vitrine(["backup"], env);
  expect(code).toBe(0);
  return String(data["backup"]);
}

async function list(...options: string[]): Promise<string[]> {
  const { data } = await vitrine(["backup", "list", ...options], env);
  return (data["backups"] as Listed[]).map(({ name }) => name);
}

/** Restores where there is nothing of the instance but its keys. */
async function restore(name: string, { to = "", from = keys } = {}) {
  spare ||= await emptyDatabase();
  const there = { ...env, VITRINE_DIR: into, DATABASE_URL: to || spare };
  const result = await vitrine(["restore", name, "--from-store", "--keys", from], there);
  if (result.code === 0 && to === "") spare = "";
  return result;
}

/** The keys of all parts, without what they have in common. */
const partKeys = async () =>
  (await objects.list("backup-parts/")).map((key) => key.slice("backup-parts/".length));

const stored = (prefix = "") => server.objects(`test-${count}/${prefix}`);

/** Makes everything look as if it had been stored two days ago. */
async function age(): Promise<void> {
  await sql`update stored_backup set touched_at = '2020-01-01T00:00:00.000Z'`.execute(database.db);
  await sql`update stored_backup_part set created_at = '2020-01-01T00:00:00.000Z'`.execute(
    database.db,
  );
}

const cleanUp = () => removeUnusedBackups({ db: database.db, objects });

/** Stores an instance in parts of a few bytes. */
async function backUpInParts(partBytes = 4096, clock = fakeClock()): Promise<string> {
  const config = loadConfig(env);
  const { signal } = new AbortController();
  const options = { config, version: "1.0.0", clock, signal, onProgress() {} };
  const done = await backUpToStore({ ...options, ifOlderThanMs: null, partBytes });
  return done.backup ?? "";
}

test("a backup goes to the object store, and restores where there are only the keys", async () => {
  await vitrine(["api-token", "create", "kept"], env);
  const { code, data } = await vitrine(["backup"], env);
  expect([code, data]).toMatchObject([0, { release: 1, database: "postgres", removed: [] }]);
  const name = String(data["backup"]);
  expect(await list()).toEqual([name]);
  expect(await list("--from-store")).toEqual([name]);
  // Whoever has the bucket but not the keys needs no database to see what is there.
  const anywhere = await vitrine(["backup", "list", "--from-store"], storeAt(`test-${count}`));
  expect(anywhere.data["backups"]).toMatchObject([{ name, size: data["size"], key: "k1" }]);

  const other = await emptyDatabase();
  const restored = await restore("latest", { to: other });
  expect(restored).toMatchObject({ code: 0, data: { database: "postgres", release: 1 } });
  const there = { VITRINE_DIR: into, DATABASE_URL: other };
  const tokens = await vitrine(["api-token", "list"], there);
  expect(JSON.stringify(tokens.data)).toContain('"name":"kept"');
  for (const file of await readdir(keys))
    expect(await readFile(join(into, "data/keys", file))).toEqual(await readFile(join(keys, file)));

  // A path is still a file of this machine.
  const file = join(folder.path, "file.tar.gz");
  expect(await vitrine(["backup", file], env)).toMatchObject({ code: 0, data: { file } });
  expect(await list()).toEqual([name]);
});

test("many parts are joined in order; old backups go, one at a time is made, and all nodes know of it", async () => {
  const names: string[] = [];
  const config = join(dir, "vitrine.json");
  const before = await readFile(config, "utf8");
  await writeFile(config, '{"baseUrl":"https://example.org","limits":{"keep":{"backups":2}}}');
  for (let n = 0; n < 3; n += 1) names.push(await backUpInParts());
  await writeFile(config, before);
  const [, second = "", third = ""] = names;
  expect(await list()).toEqual([third, second]);
  expect((await list("--from-store")).toSorted()).toEqual([second, third].toSorted());
  const parts = await partKeys();
  expect(parts.filter((key) => key.startsWith(third)).length).toBeGreaterThan(3);
  expect(parts.every((key) => key.startsWith(second) || key.startsWith(third))).toBe(true);
  expect(await restore(third)).toMatchObject({ code: 0, data: { release: 1 } });
  expect(await findLastBackup(database.db)).toBe(await readLastBackup(join(dir, "data")));

  // A timer on each node makes one backup.
  const recent = await vitrine(["backup", "--if-older-than", "20"], env);
  expect(recent).toMatchObject({ code: 3, data: { backup: null, reason: "recent" } });
  const shared = openSharedStorage(loadConfig(env), database.db);
  const local = { run: <T>(work: () => Promise<T>) => work(), close() {} };
  await shared?.lock("backup", local).run(async () => {
    const error = { code: "locked" };
    expect(await vitrine(["backup"], env)).toMatchObject({ code: 1, error });
    const again = await vitrine(["backup", "--if-older-than", "0.000001"], env);
    expect(again).toMatchObject({ code: 3, data: { reason: "running" } });
  });
  await shared?.close();

  expect(await vitrine(["backup", "delete", second], env)).toMatchObject({
    code: 1,
    error: { code: "bad_request" },
  });
  const deleted = await vitrine(["backup", "delete", second, "--yes"], env);
  expect(deleted).toMatchObject({ code: 0, data: { deleted: second } });
  expect(await list()).toEqual([third]);
  expect((await objects.list("")).some((key) => key.includes(second))).toBe(false);
  const none = await vitrine(["backup", "delete", second, "--yes"], env);
  expect(none).toMatchObject({ code: 1, error: { code: "not_found" } });
});

test("what only another node has stored is in the backup", async () => {
  const other = join(folder.path, "other");
  await cp(dir, other, { recursive: true });
  const { db } = database;
  const open = (VITRINE_DIR: string) => openSharedStorage(loadConfig({ ...env, VITRINE_DIR }), db);
  const [here, there] = [open(dir), open(other)];
  await setShared(db, "1.0.0");
  const path = join(other, "data/references/0123.webp");
  await mkdir(join(other, "data/references"), { recursive: true });
  await writeFile(path, "an image");
  await there?.files.put([{ path, from: path }]);
  await backUp();
  expect(await restore("latest")).toMatchObject({ code: 0 });
  expect(await readFile(join(into, "data/references/0123.webp"), "utf8")).toBe("an image");
  await here?.close();
  await there?.close();
  await rm(join(dir, "data/references"), { recursive: true });
});

test("when another node publishes because the lock was lost, there is no backup rather than a mixed one", async () => {
  const { db } = database;
  const config = loadConfig(env);
  await setShared(db, "1.0.0");
  const { signal } = new AbortController();
  for (const published of ["release", "main"]) {
    const state = openSharedState(config, db);
    const lose = async () => {
      await state.update();
      if (published === "release") await insertRelease(db, { release: 2, artifact: "x" });
      else await sql`update stored_ref set object_id = 'x' where name = 'main'`.execute(db);
    };
    const staging = { dir: join(folder.path, `staging-${published}`), skippedFiles: [], signal };
    const taken = takeSnapshot(staging, config, database, { ...state, update: lose });
    await expect(taken).rejects.toMatchObject({ code: "locked" });
    await sql`delete from stored_release`.execute(db);
  }
});

test("a node whose clock is ahead doesn't have the newest backup for years", async () => {
  const ahead = fakeClock(Date.UTC(2099, 0, 1));
  const config = loadConfig(env);
  const { signal } = new AbortController();
  const options = { config, version: "1.0.0", clock: ahead, signal, onProgress() {} };
  const to = join(folder.path, "ahead.tar.gz");
  expect((await backUpToFile({ ...options, to, force: false })).createdAt).not.toContain("2099");
  expect(await backUpInParts(4096, ahead)).not.toContain("2099");
  expect(await findLastBackup(database.db)).not.toContain("2099");
});

test("a replaced key stays while a backup needs it", async () => {
  const own = join(folder.path, "rotating");
  await cp(dir, own, { recursive: true });
  env = { ...env, VITRINE_DIR: own };
  const name = await backUp();
  const { data } = await vitrine(["rotate-settings-key"], env);
  expect(data).toMatchObject({ keyId: "k2", retired: [{ id: "k1", sealed: 1 }] });
  expect(await restore(name, { from: join(own, "data/keys") })).toMatchObject({ code: 0 });
});

test("without an object store, or where nothing is, commands say what is missing", async () => {
  const { VITRINE_DIR = "", DATABASE_URL = "" } = env;
  const alone = { VITRINE_DIR, DATABASE_URL };
  const error = { code: "bad_request", message: expect.stringContaining("STORAGE_URL") };
  expect(await vitrine(["backup", "list"], alone)).toMatchObject({ code: 1, error });
  expect(await vitrine(["backup", "list", "--from-store"])).toMatchObject({ code: 1, error });
  expect(await vitrine(["backup", "--if-older-than", "20"], alone)).toMatchObject({
    code: 1,
    error,
  });
  expect(await vitrine(["backup", "--if-older-than", "soon"], env)).toMatchObject({
    code: 1,
    error: { code: "bad_request", message: expect.stringContaining("hours") },
  });
  const refused = await vitrine(["restore", "latest", "--from-store"], env);
  expect(refused.error.message).toContain("KEYS_DIR");
  expect(await restore("latest")).toMatchObject({ code: 1, error: { code: "not_found" } });
  expect(await restore("latest", { from: folder.path })).toMatchObject({
    code: 1,
    error: { code: "unavailable", message: expect.stringContaining("has no settings.key") },
  });
  expect(await restore("../x")).toMatchObject({ code: 1, error: { code: "bad_request" } });
  expect(await restore("2026-11-29T153000Z-1a2b3c4d")).toMatchObject({
    code: 1,
    error: { code: "not_found", message: expect.stringContaining("backup list") },
  });
  expect(await exists(into)).toBe(false);
  // Backups of further sites couldn't be found without the database.
  const forSites = { code: "bad_request", message: expect.stringContaining("site export") };
  const config = { ...loadConfig(env), site: { id: "anna" } };
  const { signal } = new AbortController();
  const options = { config, version: "1.0.0", clock: fakeClock(), signal, onProgress() {} };
  await expect(backUpToStore({ ...options, ifOlderThanMs: null })).rejects.toMatchObject(forSites);
  for (const args of [
    ["backup", "list"],
    ["restore", "latest"],
  ]) {
    const { error: given } = await vitrine(["--site", "anna", ...args, "--from-store"], alone);
    expect(given).toMatchObject(forSites);
  }
});

/** Begins a backup and kills it at its n-th upload. */
async function killAtUpload(upload: number): Promise<void> {
  const program = join(platformRoot, "packages/server/bin/vitrine");
  const child = spawn(program, ["backup"], {
    env: { ...compileCache(), PATH: process.env["PATH"], ...env },
  });
  const ended = once(child, "exit");
  let uploads = 0;
  server.onRequest = () => {
    uploads += 1;
    if (uploads === upload) child.kill("SIGKILL");
  };
  await ended;
  server.onRequest = undefined;
  expect(uploads).toBeGreaterThanOrEqual(upload);
}

test("abuse 227: a backup killed anywhere isn't listed, hinders nobody, and its parts are removed", async () => {
  for (const upload of [1, 2]) {
    await killAtUpload(upload);
    expect(await list()).toEqual([]);
    for (const name of await list("--from-store")) {
      // With its manifest it has all its parts, too; the test server also keeps half a manifest.
      const { code, error } = await restore(name);
      expect(code === 0 || error.code === "validation_failed").toBe(true);
    }
    await rm(into, { recursive: true, force: true });
  }
  const good = await backUp();
  // One that is still being made somewhere would look the same.
  await cleanUp();
  expect((await objects.list("")).length).toBeGreaterThan(2);
  await age();
  await cleanUp();
  const left = (await objects.list("")).map((key) =>
    key.replace(/-parts\/([^/]*)\/.*/, "s/$1.json"),
  );
  expect(new Set(left)).toEqual(new Set([`backups/${good}.json`]));
  expect(await restore("latest")).toMatchObject({ code: 0 });
});

test("abuse 227: a store that fails leaves no backup; a node that was given up can't complete one", async () => {
  let uploads = 0;
  server.onRequest = () => {
    uploads += 1;
    if (uploads === 2) server.refuse(1, 403);
  };
  await expect(backUpInParts()).rejects.toMatchObject({ code: "unavailable" });
  server.onRequest = undefined;
  expect(await list("--from-store")).toEqual([]);

  // What can't be removed now isn't listed, and is removed the next time.
  const name = await backUpInParts();
  // The manifest of the one that failed is removed once more.
  server.refuse(2, 403);
  const deleted = await vitrine(["backup", "delete", name, "--yes"], env);
  expect(deleted).toMatchObject({ code: 0, data: { deleted: name } });
  expect(await list()).toEqual([]);
  expect((await objects.list("")).some((key) => key.includes(name))).toBe(true);
  await cleanUp();
  expect((await objects.list("")).some((key) => key.includes(name))).toBe(false);

  // Another node gives it up between two parts.
  const { signal } = new AbortController();
  const options = { keysDir: keys, version: "1.0.0", keep: 2, signal, partBytes: 512 };
  const content = randomBytes(2048);
  const write = async (stream: Writable) => {
    await pipeline(async function* () {
      yield content;
      await sql`update stored_backup set status = 'removing'`.execute(database.db);
      await cleanUp();
      yield content;
    }, stream);
    return { files: 1, release: null };
  };
  const createdAt = "2026-11-29T12:00:00.000Z";
  const deps = { db: database.db, objects };
  const storing = storeBackup(deps, { ...options, createdAt, write });
  await expect(storing).rejects.toMatchObject({ code: "conflict" });
  await age();
  await cleanUp();
  expect(await objects.list("")).toEqual([]);
});

test("a manifest that arrives after its upload seemed to fail is removed before its parts", async () => {
  const good = await backUpInParts();
  let late: Uint8Array = Buffer.alloc(0);
  const putBytes: ObjectStore["putBytes"] = async (key, bytes) => {
    if (key.startsWith("backup-parts/")) return objects.putBytes(key, bytes);
    late = bytes;
    throw new Error("no answer");
  };
  const { signal } = new AbortController();
  const write = async (stream: Writable) => {
    await pipeline([randomBytes(2048)], stream);
    return { files: 1, release: null };
  };
  const options = { keysDir: keys, version: "1.0.0", keep: 2, signal, partBytes: 512, write };
  const createdAt = "2099-11-29T12:00:00.000Z";
  const deps = { db: database.db, objects: { ...objects, putBytes } };
  await expect(storeBackup(deps, { ...options, createdAt })).rejects.toThrow("no answer");
  const name = (await partKeys()).find((each) => !each.startsWith(good)) ?? "";
  const key = `backups/${name.split("/")[0]}.json`;
  await objects.putBytes(key, late);
  await cleanUp();
  expect(await objects.list("backups/")).toEqual([`backups/${good}.json`]);
  expect(await partKeys()).toContain(name);
  await objects.putBytes(key, late);
  await objects.remove(`backup-parts/${name}`);
  const error = { code: "validation_failed", message: expect.stringContaining(good) };
  expect(await restore("latest")).toMatchObject({ code: 1, error });
  await age();
  await cleanUp();
  expect((await objects.list("")).filter((each) => !each.includes(good))).toEqual([]);
});

test("abuse 228: a part or manifest that is damaged, swapped, or missing is noticed, and nothing is restored", async () => {
  const name = await backUpInParts();
  const root = `test-${count}`;
  const put = (key: string, text: string) => server.put(`${root}/${key}`, text);
  const error = { code: "validation_failed", message: expect.stringContaining("Nothing was") };
  const [, second = "", third = ""] = await partKeys();
  const bytesOf = async (key: string) =>
    (await objects.getBytes(`backup-parts/${key}`, { maxBytes: 1e6 })) ?? Buffer.alloc(0);
  const [good, other] = [await bytesOf(second), await bytesOf(third)];
  const changed = Buffer.from(good);
  changed[7] = (changed[7] ?? 0) ^ 1;
  for (const bytes of [changed, good.subarray(1), other, Buffer.concat([good, good])]) {
    await objects.putBytes(`backup-parts/${second}`, bytes);
    const refused = await restore(name);
    expect(refused).toMatchObject({ code: 1, error });
    expect(refused.error.message).toContain("part 2 of");
  }
  await objects.remove(`backup-parts/${second}`);
  const missing = await restore(name);
  expect(missing).toMatchObject({ code: 1, error });
  expect(missing.error.message).toContain("part 2 of");
  await objects.putBytes(`backup-parts/${second}`, good);

  const manifest = (await stored("backups/")).get(`${name}.json`)?.text ?? "";
  const head = JSON.parse(manifest) as Record<string, unknown>;
  const renamed = "2026-11-29T153000Z-1a2b3c4d";
  await put(`backups/${renamed}.json`, manifest);
  expect(await restore(renamed)).toMatchObject({ code: 1, error });
  await put(`backups/${renamed}.json`, JSON.stringify({ ...head, name: renamed }));
  expect(await restore(renamed)).toMatchObject({ code: 1, error });
  await put(`backups/${name}.json`, manifest.slice(0, -9));
  expect(await restore(name)).toMatchObject({ code: 1, error });
  expect(await list("--from-store")).toContain(name);
  await put(`backups/${name}.json`, JSON.stringify({ ...head, format: 2 }));
  expect(await restore(name)).toMatchObject({ code: 1, error: { code: "unavailable" } });
  expect(await exists(into)).toBe(false);
  await put(`backups/${name}.json`, manifest);
  expect(await restore(name)).toMatchObject({ code: 0 });
});

test("abuse 229: who has the bucket reads nothing of a backup, and can't have another one restored", async () => {
  await vitrine(["api-token", "create", "secret-name"], env);
  const name = await backUpInParts();
  const other = join(folder.path, "forger");
  await installSmall(other);
  const secret = JSON.parse(await readFile(join(keys, "settings.key"), "utf8")) as {
    keys: Record<string, string>;
  };
  for (const [, { text }] of await stored()) {
    expect(text).not.toContain(secret.keys["k1"]);
    expect(text).not.toContain("secret-name");
    expect(text).not.toContain("PGDMP");
  }
  // The bytes of an archive begin with those of gzip.
  const [first = ""] = await partKeys();
  const bytes = await objects.getBytes(`backup-parts/${first}`, { maxBytes: 1e6 });
  expect(bytes?.subarray(0, 2).toString("hex")).not.toBe("1f8b");

  const denied = await restore(name, { from: join(other, "data/keys") });
  expect(denied).toMatchObject({ code: 1, error: { code: "validation_failed" } });
  // A backup of another instance, in the same bucket.
  env = { ...env, VITRINE_DIR: other, DATABASE_URL: await emptyDatabase() };
  const theirs = openDatabase({ url: env["DATABASE_URL"] ?? "", file: "" });
  await migrate({ database: theirs, now: 0 });
  await theirs.close();
  const forged = await backUpInParts();
  expect(await restore(forged)).toMatchObject({ code: 1, error: { code: "validation_failed" } });
  const renumbered = (await stored("backups/")).get(`${forged}.json`)?.text ?? "";
  await server.put(
    `test-${count}/backups/${forged}.json`,
    renumbered.replace('"keyId":"k1"', '"keyId":"k7"'),
  );
  expect(await restore(forged)).toMatchObject({ code: 1, error: { code: "unavailable" } });
  expect(await exists(into)).toBe(false);
});
