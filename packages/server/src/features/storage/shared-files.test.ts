import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import {
  type S3Server,
  startS3Server,
} from "../../../../../test/support/publish-targets/s3-server.ts";
import { openNode } from "../../../../../test/support/shared-storage.ts";
import { sha256Hex } from "../../kit/hash.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { beginBlob } from "./blob-store.ts";
import { setShared } from "./store.ts";

let maker: DatabaseMaker;
let server: S3Server;
let db: Db;

beforeAll(async () => {
  maker = await startDialect("postgres");
});
beforeEach(async () => {
  const { database } = await maker.make();
  await migrate({ database, now: 0 });
  ({ db } = database);
  server = await startS3Server();
  return () => server[Symbol.asyncDispose]();
});
afterAll(() => maker?.close());

const folder = "content/app/public/media/";

async function put(dir: string, name: string, text: string): Promise<string> {
  const path = join(dir, folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

const names = async (dir: string) =>
  (await readdir(join(dir, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .toSorted();

test("abuse 237: what a killed process was downloading is removed, what another one is isn't", async () => {
  const node = await openNode({ db, server });
  await setShared(db, "test");
  const { pid } = spawnSync("true");
  await put(node.dir, `2026/a.jpg.${pid}-abc123.part`, "half");
  const alive = `b.jpg.${process.pid}-abc123.part`;
  await put(node.dir, `2026/${alive}`, "half");
  await put(node.dir, "2026/c.jpg.part", "of an upload");
  await node.files.sync([folder]);
  expect(await names(node.dir)).toEqual([alive, "c.jpg.part"]);
});

/** Lets everything in the object store look as if it had been used two days ago. */
const age = () =>
  sql`update stored_blob set used_at = to_char(clock_timestamp() at time zone 'utc' - interval '2 days', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`.execute(
    db,
  );

test("a folder becomes what is stored: files come, and go when another node removes them", async () => {
  const [one, two] = [await openNode({ db, server }), await openNode({ db, server })];
  await put(one.dir, "2026/a.jpg", "a");
  expect(await one.files.putFolder(folder, Date.now())).toBe(1);
  await setShared(db, "test");
  await two.files.sync([folder]);
  expect(await readFile(join(two.dir, folder, "2026/a.jpg"), "utf8")).toBe("a");
  const b = await put(two.dir, "2026/b.jpg.part", "b");
  await two.files.put([{ path: b.replace(".part", ""), from: b }]);
  await one.files.sync([folder]);
  await two.files.sync([folder]);
  expect(await names(one.dir)).toEqual(["a.jpg", "b.jpg"]);
  await two.files.remove([join(two.dir, folder, "2026/a.jpg")]);
  await one.files.sync([folder]);
  expect(await names(one.dir)).toEqual(["b.jpg"]);
});

test("before everything is stored, no node removes what isn't", async () => {
  const one = await openNode({ db, server });
  await put(one.dir, "2026/a.jpg", "a");
  const b = await put(one.dir, "2026/b.jpg", "b");
  await one.files.put([{ path: b, from: b }]);
  await one.files.sync([folder]);
  expect(await names(one.dir)).toEqual(["a.jpg", "b.jpg"]);
});

test("what is being made isn't stored and isn't removed", async () => {
  const one = await openNode({ db, server });
  await put(one.dir, "2026/c.jpg.part", "c");
  await put(one.dir, "7.part/d.jpg", "d");
  await put(one.dir, "2026/.hidden", "e");
  expect(await one.files.putFolder(folder, Date.now())).toBe(0);
  await setShared(db, "test");
  await one.files.sync([folder]);
  expect(await names(one.dir)).toEqual([".hidden", "c.jpg.part", "d.jpg"]);
});

test("the same content is stored once, whoever puts it and under whatever paths", async () => {
  const [one, two] = [await openNode({ db, server }), await openNode({ db, server })];
  await put(one.dir, "a.jpg", "same");
  await put(two.dir, "b.jpg", "same");
  const stored = [one, two].map(async ({ files, dir }, at) => {
    const path = join(dir, folder, at === 0 ? "a.jpg" : "b.jpg");
    await files.put([{ path, from: path }]);
  });
  await Promise.all(stored);
  expect([...(await server.objects("node/")).values()].map(({ text }) => text)).toEqual(["same"]);
});

test("what nothing names is removed a day after its last use, and only that", async () => {
  const one = await openNode({ db, server });
  const kept = await put(one.dir, "kept.jpg", "kept");
  const gone = await put(one.dir, "gone.jpg", "gone");
  const inList = await put(one.dir, "in-list.jpg", "in a list");
  await one.files.putFolder(folder, Date.now());
  // Left by a node that was killed while it stored something.
  await beginBlob(db, { object_key: "blobs/x", name: sha256Hex("never came"), bytes: 10 });
  await one.files.remove([gone, inList]);
  const isKept = (name: string) => name === sha256Hex("in a list");
  expect(await one.blobs.removeUnused(isKept)).toBe(0);
  await age();
  expect(await one.blobs.removeUnused(isKept)).toBe(2);
  const left = [...(await server.objects("node/")).values()].map(({ text }) => text);
  expect(left.toSorted()).toEqual(["in a list", "kept"]);
  // It can be stored again, under another key.
  await one.files.put([{ path: gone, from: kept }]);
  await one.files.put([{ path: gone, from: gone }]);
  expect(await server.objects("node/")).toHaveProperty("size", 3);
});

test("a removal that a new use overtakes removes nothing", async () => {
  const one = await openNode({ db, server });
  const path = await put(one.dir, "a.jpg", "a");
  await one.files.putFolder(folder, Date.now());
  await one.files.remove([path]);
  await age();
  let asked = 0;
  const isKept = () => {
    asked += 1;
    return false;
  };
  await one.files.put([{ path, from: path }]);
  expect(await one.blobs.removeUnused(isKept)).toBe(0);
  expect(asked).toBe(0);
});
