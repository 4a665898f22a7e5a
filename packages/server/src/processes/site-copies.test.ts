import { mkdir, readFile, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installSmall, vitrine } from "../../../../test/support/backups.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { type DatabaseMaker, startDialect } from "../../../../test/support/postgres.ts";
import { handGit, silentLog } from "../../../../test/support/publish/publish-instance.ts";
import { copyInstance } from "../../../../test/support/publish/sample.ts";
import {
  type S3Server,
  startS3Server,
} from "../../../../test/support/publish-targets/s3-server.ts";
import { tempFolder, type TempFolder } from "../../../../test/support/temp.ts";
import { currentRelease, liveRelease } from "../features/release/current-symlink.ts";
import { beginBackup, beginPart } from "../features/backup/stored/store.ts";
import { manifestKey } from "../features/backup/stored/stored-manifest.ts";
import {
  dropOldKeys,
  keyRetentionMs,
  rotateSettingsKey,
} from "../features/settings/keys/rotation.ts";
import { openSiteRegistry, type SiteRegistry } from "../features/sites/registry.ts";
import type { SiteOperations } from "../features/sites/cli.ts";
import { newestReleases } from "../features/storage/release-store.ts";
import { leaveStorage } from "../features/storage/leave-storage.ts";
import { openSharedStorage } from "../features/storage/shared-storage.ts";
import { isShared } from "../features/storage/store.ts";
import { systemClock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import { isoTime } from "../kit/time.ts";
import { loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db/connect.ts";
import { migrate } from "../platform/db/migrate.ts";
import { inSchema, siteSchema } from "../platform/db/schema-address.ts";
import { exists } from "../platform/files.ts";
import { acquireLock, openLock } from "../platform/lock.ts";
import {
  createKeys,
  keyFiles,
  readKeyFiles,
  readKeyring,
  writeKeyring,
} from "../platform/secrets.ts";
import { instancePaths } from "../platform/paths.ts";
import { assertNoSiteRemovals } from "./move-storage.ts";
import { runCommand } from "./cli.ts";
import { openFollowedSites } from "./follow-sites.ts";
import { siteConfig } from "./launch-site.ts";
import { changeSettings } from "./site-installation.ts";
import { openSharedKeyring } from "./site-registry.ts";
import { withSiteOperations } from "./site-operations.ts";
import { makeSiteCopies, type SiteCopies } from "./site-copies.ts";
import { openSiteRemovals } from "./site-removals.ts";
import { openLeavingSites } from "./leave-sites.ts";
import { withSite } from "./opened-site.ts";
import { noteUse, readLastUse, readMark, removeMark } from "./site-copy-files.ts";
import { makeUnusedCopies } from "./unused-copies.ts";

let maker: DatabaseMaker;
let server: S3Server;
let folder: TempFolder;
let databaseUrl: string;
let registry: SiteRegistry;

beforeAll(async () => {
  maker = await startDialect("postgres", { empty: true });
  server = await startS3Server();
  folder = await tempFolder();
  databaseUrl = (await maker.make()).address.url ?? "";
  registry = await openSiteRegistry({
    paths: { siteRegistry: "" },
    databaseUrl,
    clock: systemClock,
    ownHost: "home.example",
  });
  await createKeys(join(folder.path, "keys"));
}, 120_000);
afterAll(async () => {
  await registry?.close();
  await folder?.remove();
  await server?.[Symbol.asyncDispose]();
  await maker?.close();
});

/** The database of an installation. */
interface Place {
  url: string;
  registry: SiteRegistry;
}

/** A node of the installation that is only a folder. */
function openNode(name: string, keys = "keys", place: Place = { url: databaseUrl, registry }) {
  const dir = join(folder.path, name);
  const env = {
    VITRINE_DIR: dir,
    DATABASE_URL: place.url,
    STORAGE_URL: `s3://${server.bucket}/all?endpoint=${server.endpoint}`,
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    KEYS_DIR: join(folder.path, keys),
  };
  const config = loadConfig(env);
  const { nodes } = place.registry;
  const deps = { config, env, nodes, clock: systemClock, log: silentLog };
  const site = (id: string) => instancePaths(join(dir, "sites", id));
  return { config, env, site, place, copies: makeSiteCopies(deps) };
}

type Node = ReturnType<typeof openNode>;

/** Makes a site in the folder of a node, as `vitrine site create` does before it is shared. */
async function install(node: Node, id: string) {
  const paths = node.site(id);
  await copyInstance(paths.dir);
  await rm(paths.database);
  await createKeys(paths.keys);
  await writeFile(
    paths.configFile,
    JSON.stringify({ baseUrl: `https://${id}.example`, site: { id } }),
  );
  await writeFile(paths.installLock, "{}\n");
  const { place } = node;
  const database = openDatabase({ url: inSchema(place.url, siteSchema(id)), file: "" });
  await migrate({ database, now: 0 });
  await database.close();
  const baseUrl = `https://${id}.example`;
  await place.registry.reserve({ id, domain: `${id}.example`, baseUrl });
  return paths;
}

const settingsOf = async ({ configFile }: { configFile: string }) =>
  JSON.parse(await readFile(configFile, "utf8")) as object;

test("a site gets to another node with its keys, and what either node changes gets to both", async () => {
  const [one, two] = [openNode("one"), openNode("two")];
  const made = await install(one, "anna");
  await one.copies.share("anna", await registry.nodes.begin("anna"));
  await registry.activate("anna");
  expect(await two.copies.ensure("anna")).toBe(false);
  const copy = two.site("anna");
  expect(await readKeyFiles(copy.keys)).toEqual(await readKeyFiles(made.keys));
  expect(await liveRelease(copy)).toEqual(await liveRelease(made));
  // A key that a command has rotated, and settings that somebody has edited.
  const ring = readKeyring(copy.keys);
  const [[, key] = ["", Buffer.alloc(32)]] = [...ring.keys];
  await writeKeyring(copy.keys, { ...ring, keys: new Map([...ring.keys, ["k2", key]]) });
  await writeFile(copy.configFile, JSON.stringify({ site: { id: "anna" }, logLevel: "warn" }));
  expect(await two.copies.ensure("anna")).toBe(true);
  expect(await two.copies.ensure("anna")).toBe(false);
  await one.copies.ensure("anna");
  expect(await readKeyFiles(made.keys)).toEqual(await readKeyFiles(copy.keys));
  expect(await settingsOf(made)).toMatchObject({ logLevel: "warn" });
  // What no process can read stays here, and a copy that was damaged is written again.
  await writeFile(copy.configFile, '{"site": {"id": "bob"}}');
  await expect(two.copies.ensure("anna")).rejects.toThrow('"site": {"id": "anna"}');
  await rm(copy.configFile);
  expect(await two.copies.ensure("anna")).toBe(false);
  expect(await settingsOf(copy)).toMatchObject({ site: { id: "anna" }, logLevel: "warn" });
});

/** Adds a key to a settings.key, as a rotation does that is killed then. */
async function addKey(dir: string, id: string, byte: number): Promise<void> {
  const ring = readKeyring(dir);
  const keys = new Map([...ring.keys, [id, Buffer.alloc(32, byte)] as const]);
  await writeKeyring(dir, { active: id, keys, retired: {} });
}

test("a key that only one node has is never replaced by what another node changed at the same time", async () => {
  const [one, two] = [openNode("one"), openNode("two")];
  const { keys, configFile } = await install(one, "kate");
  await one.copies.share("kate", await registry.nodes.begin("kate"));
  await registry.activate("kate");
  await two.copies.ensure("kate");
  const there = two.site("kate");
  await addKey(keys, "k2", 2);
  await writeFile(there.configFile, JSON.stringify({ site: { id: "kate" }, logLevel: "warn" }));
  expect(await two.copies.ensure("kate")).toBe(true);
  expect(await one.copies.ensure("kate")).toBe(true);
  expect(readKeyring(keys)).toMatchObject({ active: "k2", keys: { size: 2 } });
  expect(await settingsOf({ configFile })).toMatchObject({ logLevel: "warn" });
  expect(await two.copies.ensure("kate")).toBe(false);
  expect(await readKeyFiles(there.keys)).toEqual(await readKeyFiles(keys));
  // The rest of the folder is damaged as well.
  await addKey(keys, "k3", 3);
  await rm(configFile);
  expect(await one.copies.ensure("kate")).toBe(true);
  await two.copies.ensure("kate");
  expect(await readKeyFiles(there.keys)).toEqual(await readKeyFiles(keys));
  // Two keys with one ID: nobody's is lost.
  await addKey(keys, "k4", 4);
  await addKey(there.keys, "k4", 5);
  expect(await two.copies.ensure("kate")).toBe(true);
  await expect(one.copies.ensure("kate")).rejects.toMatchObject({ code: "conflict" });
  expect(readKeyring(keys).keys.get("k4")).toEqual(Buffer.alloc(32, 4));
  await rm(join(keys, keyFiles.settings));
  expect(await one.copies.ensure("kate")).toBe(false);
  expect(readKeyring(keys).keys.get("k4")).toEqual(Buffer.alloc(32, 5));
  // A damaged file doesn't get to others.
  await writeFile(join(keys, keyFiles.settings), "");
  await expect(one.copies.ensure("kate")).rejects.toThrow("settings.key is damaged");
  expect(await two.copies.ensure("kate")).toBe(false);
});

test("all nodes have a new key of a site before anything is encrypted with it", async () => {
  const [one, two] = [openNode("one"), openNode("two")];
  await rm(one.site("kate").keys, { recursive: true });
  await one.copies.ensure("kate");
  const keysOf = (node: Node) => readKeyring(node.site("kate").keys);
  const before = await registry.findRouteById("kate");
  async function rotate(node: Node, options: { now?: number; onStep?(step: string): void } = {}) {
    const config = siteConfig(node.env, node.config, "kate");
    const keyring = await openSharedKeyring(config, {
      ...node,
      clock: systemClock,
      log: silentLog,
    });
    const database = openDatabase({ url: config.databaseUrl, file: "" });
    if (keyring === null) throw new Error("No nodes.");
    const [keysDir, lockFile] = [config.paths.keys, join(config.paths.data, "settings-key.lock")];
    const deps = { db: database.db, keysDir, lockFile, keyring, now: Date.now(), ...options };
    try {
      return await (options.now === undefined ? rotateSettingsKey : dropOldKeys)(deps);
    } finally {
      await keyring.close();
      await database.close();
    }
  }
  // The node is lost at this step.
  const onStep = (step: string) => {
    if (step === "the key is written") throw new Error(step);
  };
  await expect(rotate(one, { onStep })).rejects.toThrow("the key is written");
  const { active } = keysOf(one);
  expect(await two.copies.ensure("kate")).toBe(false);
  expect(keysOf(two)).toEqual(keysOf(one));
  expect((await registry.findRouteById("kate"))?.changedAt).not.toBe(before?.changedAt);
  // At once, each knows the other's.
  const rotated = await Promise.all([rotate(one), rotate(two)]);
  expect(new Set([active, ...rotated.map(({ keyId }) => keyId)]).size).toBe(3);
  for (const { copies } of [one, two]) expect(await copies.ensure("kate")).toBe(false);
  expect(keysOf(two)).toEqual(keysOf(one));
  // One that is dropped is dropped everywhere.
  const { dropped } = await rotate(two, { now: Date.now() + keyRetentionMs });
  expect(dropped).toContain(active);
  expect(await one.copies.ensure("kate")).toBe(false);
  expect(keysOf(one).keys.size).toBe(1);
  await registry.nodes.discard("kate");
  await registry.remove("kate");
});

test("abuse 230: the registry has no key in a form that it, or another site, could use", async () => {
  const one = openNode("one");
  const made = await install(one, "eve");
  await one.copies.share("eve", await registry.nodes.begin("eve"));
  await registry.activate("eve");
  const database = openDatabase({ url: inSchema(databaseUrl, "vitrine_sites"), file: "" });
  const { rows } = await sql`select * from site_copy`.execute(database.db);
  for (const text of Object.values(await readKeyFiles(made.keys))) {
    expect(JSON.stringify(rows)).not.toContain(text.slice(0, 40));
  }
  await createKeys(join(folder.path, "other-keys"));
  const foreign = openNode("foreign", "other-keys");
  await expect(foreign.copies.ensure("eve")).rejects.toMatchObject({ code: "unavailable" });
  expect(await readdir(join(foreign.config.paths.sites)).catch(() => [])).toEqual([]);
  // Keys of one site in the place of another one's.
  await sql`update site_copy set sealed_keys = (select sealed_keys from site_copy where site_id = 'anna')
    where site_id = 'eve'`.execute(database.db);
  await database.close();
  await expect(openNode("two").copies.ensure("eve")).rejects.toMatchObject({ code: "unavailable" });
});

test("a rotated key of the installation encrypts the keys of sites again", async () => {
  const one = openNode("one");
  const ring = readKeyring(one.config.paths.keys);
  const next = { active: "k2", keys: new Map([...ring.keys, ["k2", Buffer.alloc(32, 7)]]) };
  await writeKeyring(one.config.paths.keys, { ...next, retired: {} });
  // One that can't be opened comes first: the others don't wait for it.
  const tampered = await registry.nodes.find("eve");
  const broken = await registry.nodes.begin("aaron");
  if (tampered) await registry.nodes.complete("aaron", { ...tampered, incarnation: broken });
  expect(tampered?.keys.keyId).toBe("k1");
  await one.copies.reseal();
  expect((await registry.nodes.find("aaron"))?.keys.keyId).toBe("k1");
  expect((await registry.nodes.find("anna"))?.keys.keyId).toBe("k2");
  for (const id of ["aaron", "eve"]) await registry.nodes.discard(id);
  // A node whose keys can't be read for a moment.
  const three = openNode("three", "late-keys");
  await expect(three.copies.ensure("anna")).rejects.toThrow("is missing");
  await symlink(join(folder.path, "keys"), join(folder.path, "late-keys"));
  expect(await three.copies.ensure("anna")).toBe(false);
});

test("a site that was there before nodes shared anything is given to the others once", async () => {
  const one = openNode("one");
  await install(one, "old");
  await registry.activate("old");
  const two = openNode("two");
  expect(await one.copies.ensure("old")).toBe(false);
  await expect(two.copies.ensure("old")).rejects.toThrow("isn't in the object store yet");
  // It is served while it is stored.
  const storing = openLock(join(one.config.paths.data, "site-copies", "old.lock"));
  expect(await storing.run(() => one.copies.ensure("old"))).toBe(false);
  storing.close();
  await one.copies.adopt("old");
  const { incarnation } = (await registry.nodes.find("old")) ?? {};
  await one.copies.adopt("old");
  expect((await registry.nodes.find("old"))?.incarnation).toBe(incarnation);
  expect(await two.copies.ensure("old")).toBe(false);
  expect(await liveRelease(two.site("old"))).toEqual(await liveRelease(one.site("old")));
});

test("abuse 231: a copy that sleeps gets what another node publishes, and goes when the site is removed", async () => {
  const [one, two] = [openNode("one"), openNode("two")];
  const [here, there] = [one.site("old"), two.site("old")];
  const deps = { registry, clock: systemClock, log: silentLog };
  const followNodes = () =>
    openFollowedSites({ ...two, ...deps, listAwake: () => [], askAgain: () => {} });
  const followed = followNodes();
  if (followed === null) throw new Error("No nodes.");
  await followed.start();
  await followed.prepare("old");
  const site = siteConfig(one.env, one.config, "old");
  const database = openDatabase({ url: site.databaseUrl, file: "" });
  const shared = openSharedStorage(site, database.db);
  const artifact = (await liveRelease(here))?.sha ?? "";
  await shared?.releases.announce({ release: 2, artifact });
  await eventually(async () => expect(await currentRelease(there)).toBe(2), 30_000);
  // What was changed here has the site's processes start again, whoever finds it first.
  const changes: string[] = [];
  const note = async () => changes.push((await registry.findRouteById("old"))?.changedAt ?? "");
  await note();
  await addKey(there.keys, "k2", 2);
  changes.push(await followed.ensure("old"));
  await note();
  await addKey(there.keys, "k3", 3);
  await followed.refresh(["old"]);
  await note();
  await addKey(there.keys, "k4", 4);
  await shared?.releases.announce({ release: 3, artifact });
  await eventually(async () => expect(await currentRelease(there)).toBe(3), 30_000);
  await note();
  expect(changes[1]).toBe(changes[2]);
  expect(new Set(changes).size).toBe(4);
  // Whoever asks for it doesn't wait to be told.
  await shared?.releases.announce({ release: 4, artifact });
  await followed.prepare("old");
  expect(await currentRelease(there)).toBe(4);
  // While it has processes, and when they end, it is used.
  const awake = followNodes();
  await utimes(join(there.data, "copy-used"), 0, 0);
  await awake?.noteAwake("old", 60_000);
  expect(await readLastUse(there)).toBeGreaterThan(0);
  await awake?.noteAsleep("old");
  await awake?.close();
  // What can't be noted, as on a full disk, doesn't keep it from being served.
  await rm(join(there.data, "copy-used"));
  await mkdir(join(there.data, "copy-used"));
  const restarted = followNodes();
  await restarted?.prepare("old");
  await restarted?.close();
  // Somebody has deleted the copy.
  await rm(there.dir, { recursive: true });
  await eventually(async () => expect(await currentRelease(there)).toBe(4), 30_000);
  await shared?.close();
  await database.close();
  await registry.nodes.discard("old");
  await registry.remove("old");
  await followed.refresh(["old"]);
  expect(await readdir(two.config.paths.sites)).not.toContain("old");
  await followed.close();
});

test("abuse 232: a site that has a removed one's name replaces its copies; other folders stay", async () => {
  const [one, two] = [openNode("one"), openNode("two")];
  const before = await readKeyFiles(two.site("anna").keys);
  await registry.nodes.discard("anna");
  await registry.remove("anna");
  await rm(one.site("anna").dir, { recursive: true });
  const made = await install(one, "anna");
  await one.copies.share("anna", await registry.nodes.begin("anna"));
  await registry.activate("anna");
  await two.copies.ensure("anna");
  const now = await readKeyFiles(two.site("anna").keys);
  expect(now).toEqual(await readKeyFiles(made.keys));
  expect(now).not.toEqual(before);
  // A whole instance that nobody has said to be a copy.
  const four = openNode("four");
  const { keys, configFile } = four.site("anna");
  await copyInstance(four.site("anna").dir);
  await createKeys(keys);
  await writeFile(configFile, '{"site": {"id": "anna"}}');
  await writeFile(four.site("anna").installLock, "{}\n");
  const own = await readKeyFiles(keys);
  await expect(four.copies.ensure("anna")).rejects.toThrow("move it away");
  expect(await four.copies.removeOther("anna", null)).toBe(false);
  expect(await readKeyFiles(keys)).toEqual(own);
});

test("abuse 232: the objects of removed sites are removed, also after an interruption", async () => {
  const one = openNode("one");
  const count = async () => (await server.objects("all/sites/anna/")).size;
  const database = openDatabase({ url: databaseUrl, file: "" });
  const schemas = ["vitrine_site_anna", "vitrine_site_old", "vitrine_sites"];
  expect([...(await newestReleases(database.db, schemas))]).toEqual([["vitrine_site_anna", 1]]);
  await database.close();
  const before = await count();
  const { storage } = one.config;
  if (storage === null) throw new Error("No storage.");
  // One has a backup there, and one is from before there was anything of this kind.
  const removed = await registry.nodes.listRemovals();
  const schemaOf = (id: string) => removed.find(({ siteId }) => siteId === id)?.schema ?? "";
  const old = openDatabase({ url: inSchema(databaseUrl, schemaOf("old")), file: "" });
  const name = "2026-11-29T120000Z-0a1b2c3d";
  await beginBackup(old.db, { name, key_id: "k1", version: "1.0.0", created_at: "" });
  await beginPart(old.db, { objectKey: `backup-parts/${name}/1`, name });
  for (const key of [manifestKey(name), `backup-parts/${name}/1`])
    await server.put(`all/sites/old/${key}`, "backup");
  await old.close();
  const eve = openDatabase({ url: inSchema(databaseUrl, schemaOf("eve")), file: "" });
  await sql`drop table stored_backup`.execute(eve.db);
  await eve.close();
  await mkdir(one.config.paths.data, { recursive: true });
  // The store refuses for a while.
  server.refuse(3, 503);
  const removals = openSiteRemovals({
    config: one.config,
    registry,
    storage,
    databaseUrl,
    log: silentLog,
    everyMs: 20,
  });
  removals.start();
  await eventually(async () => expect(await registry.nodes.listRemovals()).toEqual([]), 30_000);
  await removals.close();
  expect((await server.objects("all/sites/old/")).size).toBe(0);
  expect((await server.objects("all/sites/eve/")).size).toBe(0);
  // Those of the first “anna” are gone, and those of the second one are there.
  expect(await count()).toBeLessThan(before);
  expect(await openNode("five").copies.ensure("anna")).toBe(false);
});

/** Makes a folder one in which commands for sites can be run. */
async function markInstalled({ config: { paths } }: Node): Promise<void> {
  await mkdir(paths.data, { recursive: true });
  await writeFile(paths.installLock, "{}\n");
  await writeFile(paths.configFile, '{"baseUrl": "https://home.example"}');
}

/** Runs commands for sites on a node. */
function on<T>(
  { env }: Node,
  work: (sites: SiteOperations) => Promise<T>,
  onProgress: (line: string) => void = () => {},
): Promise<T> {
  const { signal } = new AbortController();
  const deps = { clock: systemClock, log: silentLog, version: "1.0.0", signal, onProgress };
  return withSiteOperations({ ...deps, env }, work);
}

test("nothing leaves the object store while it has objects of removed sites, and each gets its turn", async () => {
  const { address } = await maker.make();
  const url = address.url ?? "";
  const paths = { siteRegistry: "" };
  const deps = { paths, databaseUrl: url, clock: systemClock, ownHost: "home.example" };
  const { nodes, close } = await openSiteRegistry(deps);
  const database = openDatabase({ url, file: "" });
  await assertNoSiteRemovals(database.db);
  // More than are listed at once.
  for (let at = 0; at < 25; at += 1) {
    await sql`create schema ${sql.id(siteSchema(`s${at}`))}`.execute(database.db);
    await nodes.discard(`s${at}`);
  }
  await expect(assertNoSiteRemovals(database.db)).rejects.toMatchObject({ code: "invalid_state" });
  const listed = new Set<string>();
  await eventually(async () => {
    for (const { siteId } of await nodes.listRemovals()) listed.add(siteId);
    expect(listed.size).toBe(25);
  });
  await database.close();
  await close();
});

test("a site is exported, removed, and imported on other nodes than the one that made it", async () => {
  const [two, three] = [openNode("two"), openNode("three")];
  for (const node of [two, three]) await markInstalled(node);
  const file = join(folder.path, "anna.tar.gz");
  await on(three, (sites) => sites.exportTo("anna", file, { force: false }));
  await on(two, (sites) => sites.remove("anna"));
  const importAnna = (sites: SiteOperations) =>
    sites.importFrom(file, { id: "anna", domain: undefined });
  // Its lock is lost, and another node makes a site of this name.
  const removals = await registry.nodes.listRemovals();
  let other: Promise<unknown> = Promise.resolve();
  const takeOver = async () => {
    await registry.reserve({ id: "anna", domain: "anna.example", baseUrl: "https://anna.example" });
    await registry.activate("anna");
  };
  const importing = on(two, importAnna, (line) => {
    if (line === "Filling the database") other = takeOver();
  });
  await expect(importing).rejects.toMatchObject({ code: "conflict" });
  await other;
  expect(await registry.get("anna")).toMatchObject({ status: "active" });
  expect(await registry.nodes.listRemovals()).toEqual(removals);
  expect(await readdir(two.config.paths.sites)).not.toContain("anna");
  await registry.nodes.discard("anna");
  await registry.remove("anna");
  await on(two, importAnna);
  expect(await on(three, (sites) => sites.list())).toMatchObject([
    { id: "anna", status: "active" },
    { id: "eve" },
  ]);
  await three.copies.ensure("anna");
  expect(await liveRelease(three.site("anna"))).toEqual(await liveRelease(two.site("anna")));
  // Commands for it, where the installation's keys are in a folder of their own.
  const before = await registry.findRouteById("anna");
  async function run(args: string[], stdin = Readable.from([])): Promise<unknown> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    await runCommand(["--site", "anna", ...args], two.env, { stdin, stdout, stderr });
    return JSON.parse(String(stdout.read()));
  }
  const rotated = await run(["rotate-settings-key"]);
  expect(rotated).toMatchObject({ ok: true, data: { keyId: "k2" } });
  expect((await registry.findRouteById("anna"))?.changedAt).not.toBe(before?.changedAt);
  await three.copies.ensure("anna");
  expect(readKeyring(three.site("anna").keys).active).toBe("k2");
  // What changes while a command runs goes to all nodes at its end.
  async function* editAndAnswer() {
    const { configFile } = two.site("anna");
    await writeFile(configFile, JSON.stringify({ site: { id: "anna" }, logLevel: "error" }));
    yield '{"provider":"anthropic","id":"claude-x"}';
  }
  const edited = await run(["setting", "set", "model"], Readable.from(editAndAnswer()));
  expect(edited).toMatchObject({ ok: true });
  await three.copies.ensure("anna");
  expect(await settingsOf(three.site("anna"))).toMatchObject({ logLevel: "error" });
});

test("changes of settings at once are all kept; one that another node's replaces is refused", async () => {
  const { config, env, site, copies } = openNode("two");
  const installation = { config, env, registry };
  const change = (given: object, through: SiteCopies | null = copies) =>
    changeSettings(
      { ...installation, copies: through },
      "anna",
      (settings) => ({ ...settings, ...given }),
      async () => "done",
    );
  await writeFile(site("anna").configFile, '{"site": {"id": "anna"}}');
  // On one disk, which is this node's.
  const given = [{ logLevel: "warn" }, { port: 3100 }, { runnerPort: 3101 }, { host: "::1" }];
  await Promise.all(given.map((each) => change(each, null)));
  expect(await settingsOf(site("anna"))).toMatchObject(Object.assign({}, ...given) as object);
  await writeFile(site("anna").configFile, '{"site": {"id": "anna"}}');
  let looks = 0;
  const ensure = async (id: string) => {
    const now = await registry.nodes.find(id);
    looks += 1;
    if (looks === 2 && now !== null) await registry.nodes.change(id, now);
    return copies.ensure(id);
  };
  const refused = change({ logLevel: "warn" }, { ...copies, ensure });
  await expect(refused).rejects.toMatchObject({ code: "conflict" });
  expect(await change({ logLevel: "warn" })).toBe("done");
  const other = openNode("three");
  await other.copies.ensure("anna");
  expect(await settingsOf(other.site("anna"))).toMatchObject({ logLevel: "warn" });
});

test("of sites from before the nodes, suspended ones are stored as well, and none waits for a broken one", async () => {
  const six = openNode("six");
  await markInstalled(six);
  for (const id of ["asleep", "broken", "working"]) {
    await install(six, id);
    await registry.activate(id);
  }
  await registry.suspend("asleep");
  await writeFile(six.site("broken").configFile, "{");
  const sharedSites = async () => {
    const sites = await on(openNode("three"), (operations) => operations.list());
    return Object.fromEntries(sites.map((site) => [site.id, site.isShared]));
  };
  const deps = { ...six, registry, clock: systemClock, log: silentLog };
  const followed = openFollowedSites({ ...deps, listAwake: () => [], askAgain: () => {} });
  await followed?.start();
  await eventually(
    async () =>
      expect(await sharedSites()).toMatchObject({ asleep: true, broken: false, working: true }),
    30_000,
  );
  await followed?.close();
});

test("abuse 242: an unused copy goes when everything of it is stored, and never while it is needed", async () => {
  const [six, seven] = [openNode("six"), openNode("seven")];
  await seven.copies.ensure("working");
  const there = seven.site("working");
  const [minute, day] = [60_000, 24 * 60 * 60_000];
  let now = Date.now();
  let awake: string[] = [];
  let free = 2 ** 40;
  let duringRemoval = async () => {};
  const asked: string[] = [];
  const { sweep } = makeUnusedCopies({
    ...seven,
    registry,
    clock: { ...systemClock, now: () => now },
    log: silentLog,
    listAwake: () => awake,
    askAgain: ({ id }) => void asked.push(id),
    onRemove: () => {},
    freeBytes: async () => free,
    copies: {
      removeStored: (id, isNeeded) =>
        seven.copies.removeStored(id, async () => {
          await duringRemoval();
          return isNeeded();
        }),
    },
  });
  /** What an hour later is asked again, and whether the copy is there then. */
  const afterAnHour = async () => {
    now += 61 * minute;
    await sweep();
    return { asked: asked.splice(0), isHere: await exists(there.dir) };
  };
  // From here on, it is known when it was used.
  await sweep();
  now += 29 * day;
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  now += 2 * day;
  awake = ["working"];
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  awake = [];
  await registry.setWakeTime("working", isoTime(now + 120 * minute));
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  await registry.setWakeTime("working", null);
  // A front that serves it from memory is to ask, and somebody visits the site.
  expect(await afterAnHour()).toEqual({ asked: ["working"], isHere: true });
  now += minute;
  await utimes(join(there.data, "copy-used"), now / 1000, now / 1000);
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  now += 31 * day;
  expect(await afterAnHour()).toEqual({ asked: ["working"], isHere: true });
  // Nothing that only this node has goes.
  const page = join(there.content, "app/src/pages/index.astro");
  await writeFile(page, "<h1>By hand</h1>");
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  await handGit(there.content, ["commit", "-qam", "By hand"]);
  await handGit(there.content, ["branch", "idea"]);
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  await handGit(there.content, ["branch", "-D", "idea"]);
  await writeFile(join(there.dir, "notes.txt"), "mine");
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  await rm(join(there.dir, "notes.txt"));
  await writeFile(join(there.content, ".git/info/exclude"), "/app/public/media/\n*.local\n");
  for (const file of ["content/notes.md", "content/app/x.local", "data/site.tar.gz"]) {
    await writeFile(join(there.dir, file), "mine");
    expect([file, await afterAnHour()]).toEqual([file, { asked: [], isHere: true }]);
    await rm(join(there.dir, file));
  }
  const media = join(there.content, "app/public/media/2026/new.jpg");
  await writeFile(media, "not stored yet");
  await utimes(media, now / 1000, now / 1000);
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  await rm(media);
  await addKey(there.keys, "k9", 9);
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  await seven.copies.ensure("working");
  // A command that uses it, or a runner that was started for it, while everything is compared.
  const used = await stat(join(there.data, "copy-used"));
  duringRemoval = () => utimes(join(there.data, "copy-used"), now / 1000, now / 1000);
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  await utimes(join(there.data, "copy-used"), used.atime, used.mtime);
  const runners: ReturnType<typeof acquireLock>[] = [];
  duringRemoval = async () => void runners.push(acquireLock(join(there.runners, "r.lock")));
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  for (const runner of runners) runner?.release();
  duringRemoval = async () => {};
  expect(await afterAnHour()).toEqual({ asked: ["working"], isHere: false });
  // What was committed by hand has got to the others, and the copy is made again.
  await six.copies.follow("working", { isComplete: true });
  expect(
    await readFile(join(six.site("working").content, "app/src/pages/index.astro"), "utf8"),
  ).toBe("<h1>By hand</h1>");
  await seven.copies.ensure("working");
  expect(await readFile(page, "utf8")).toBe("<h1>By hand</h1>");
  expect(await liveRelease(there)).toEqual(await liveRelease(six.site("working")));
  // Without room on the disk, a day is enough.
  await noteUse(there);
  await utimes(join(there.data, "copy-used"), now / 1000, now / 1000);
  now += 2 * day;
  expect(await afterAnHour()).toEqual({ asked: [], isHere: true });
  free = 0;
  expect(await afterAnHour()).toEqual({ asked: ["working"], isHere: true });
  expect(await afterAnHour()).toEqual({ asked: ["working"], isHere: false });
});

test("a backup of SQLite becomes a site with a schema of its own, under any name", async () => {
  const [two, three] = [openNode("two"), openNode("three")];
  const dir = join(folder.path, "sqlite");
  const file = join(folder.path, "sqlite.tar.gz");
  await installSmall(dir);
  await vitrine(["api-token", "create", "from-sqlite"], { VITRINE_DIR: dir });
  await vitrine(["backup", file], { VITRINE_DIR: dir });
  await on(two, (sites) => sites.importFrom(file, { id: "lite", domain: "lite.example" }));
  await three.copies.ensure("lite");
  expect(await liveRelease(three.site("lite"))).toEqual(await liveRelease(two.site("lite")));
  const url = inSchema(databaseUrl, siteSchema("lite"));
  const { db, close } = openDatabase({ url, file: "" });
  const { rows } = await sql<{ name: string }>`select name from api_token`.execute(db);
  await close();
  expect(rows).toEqual([{ name: "from-sqlite" }]);
});

test("abuse 243: further sites leave the object store for the folder of one node, also after an interruption", async () => {
  const url = (await maker.make()).address.url ?? "";
  const deps = { paths: { siteRegistry: "" }, clock: systemClock, ownHost: "home.example" };
  const other = await openSiteRegistry({ ...deps, databaseUrl: url });
  const place = { url, registry: other };
  const [one, two] = [openNode("left", "keys", place), openNode("staying", "keys", place)];
  const ids = ["lea", "leo", "mia"];
  for (const id of ids) {
    await install(one, id);
    await one.copies.share(id, await other.nodes.begin(id));
    await other.activate(id);
  }
  await other.suspend("mia");
  // Killed while it was adopted: its records are shared, and nothing else says so.
  await install(two, "nia");
  await two.copies.share("nia", await other.nodes.begin("nia"));
  await other.activate("nia");
  await removeMark(two.site("nia"));
  await other.nodes.forget("nia");
  let problem: AppError | null = null;
  let [isCollected, isOtherStarted] = [false, false];
  const own = {
    async collect() {
      if (problem !== null) throw problem;
      isCollected = true;
    },
    async assertAlone() {
      if (isCollected && isOtherStarted) throw new AppError("in_use", "Another node is running.");
    },
  };
  const sites = openLeavingSites({
    ...two,
    registry: other,
    clock: systemClock,
    log: silentLog,
    own,
  });
  await mkdir(two.config.paths.data, { recursive: true });
  await other.nodes.noteAwake("lea", "elsewhere", 60_000);
  await expect(sites.collect()).rejects.toThrow("another node (elsewhere)");
  await other.nodes.forgetAwake("elsewhere");
  problem = new AppError("invalid_state", "An upload waits.");
  await expect(sites.collect()).rejects.toThrow("An upload waits.");
  problem = null;
  expect(await sites.collect()).toBe(4);
  // What runs here could share it again.
  const running = acquireLock(two.config.paths.supervisorLock);
  const finish = async () => "the own site";
  await expect(sites.leave(finish)).rejects.toThrow("stop Vitrine on this node");
  running?.release();
  // The own site leaves last, and none leaves if it can't.
  problem = new AppError("invalid_state", "An upload waits.");
  await expect(sites.leave(finish)).rejects.toThrow("An upload waits.");
  expect(await other.nodes.listShared()).toEqual(ids);
  problem = null;
  // Nor once another node has been started since.
  [isCollected, isOtherStarted] = [false, true];
  await expect(sites.leave(finish)).rejects.toThrow("Another node is running.");
  expect([isCollected, await other.nodes.listShared()]).toEqual([true, ids]);
  isOtherStarted = false;
  const image = join(two.site("leo").content, "app/public/media/2026/a.jpg");
  const bytes = await readFile(image);
  await writeFile(image, "damaged");
  // The first one has left, the second one stays as it is.
  await expect(sites.leave(finish)).rejects.toThrow("aren't here as they were stored");
  expect([await other.nodes.find("lea"), (await other.nodes.find("leo")) === null]).toEqual([
    null,
    false,
  ]);
  await rm(image);
  // Killed once its records say that it has left.
  await withSite({ ...two, log: silentLog }, "mia", ({ site, db, shared, repository }) =>
    leaveStorage(
      { db, shared, repository, paths: site.paths, listArtifacts: async () => [] },
      async () => {},
    ),
  );
  expect(await sites.leave(finish)).toBe("the own site");
  expect(await sites.leave(finish)).toBe("the own site");
  expect(await readFile(image)).toEqual(bytes);
  const database = openDatabase({ url: inSchema(url, "vitrine_sites"), file: "" });
  expect((await sql`select * from site_copy`.execute(database.db)).rows).toEqual([]);
  await database.close();
  for (const id of [...ids, "nia"]) {
    const [there, made] = [two.site(id), (id === "nia" ? two : one).site(id)];
    expect(await readMark(there)).toBeNull();
    expect(await readKeyFiles(there.keys)).toEqual(await readKeyFiles(made.keys));
    expect(await liveRelease(there)).toEqual(await liveRelease(made));
    const { db, close } = openDatabase({ url: inSchema(url, siteSchema(id)), file: "" });
    expect(await isShared(db)).toBe(false);
    await close();
  }
  // It can share everything again.
  await two.copies.adopt("lea");
  expect(await openNode("again", "keys", place).copies.ensure("lea")).toBe(false);
  await other.close();
});
