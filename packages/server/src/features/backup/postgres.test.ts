import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import {
  filesBelow,
  installSmall,
  readEntries,
  vitrine,
  withText,
  writeForged,
} from "../../../../../test/support/backups.ts";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { openDatabase } from "../../platform/db/connect.ts";
import { databaseLocation } from "../../platform/db/dump.ts";
import { systemClock } from "../../kit/clock.ts";
import { instancePaths } from "../../platform/paths.ts";
import { makeCopyRecords } from "../database-move/copy-records.ts";
import { restore as restoreBackup } from "./restore.ts";
import type { CopyRecords } from "./restore-postgres.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { exists } from "../../platform/files.ts";
import { migrate } from "../../platform/db/migrate.ts";

// Each of them is many files, forced to the disk.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

let folder: TempFolder;
/** Makes databases with nothing in them. */
let maker: DatabaseMaker;
let file: string;
let into: string;
let address: string;

const emptyDatabase = async (): Promise<string> => (await maker.make()).address.url ?? "";

beforeAll(async () => {
  folder = await tempFolder();
  maker = await startDialect("postgres", { empty: true });
  address = await emptyDatabase();
  const database = openDatabase({ url: address, file: "" });
  await migrate({ database, now: 0 });
  await database.close();
  const dir = join(folder.path, "instance");
  await installSmall(dir);
  const env = { VITRINE_DIR: dir, DATABASE_URL: address };
  await vitrine(["api-token", "create", "kept"], env);
  file = join(folder.path, "site.tar.gz");
  await vitrine(["backup", file], env);
  into = join(folder.path, "back");
});
afterEach(() => rm(into, { recursive: true, force: true }));
afterAll(async () => {
  await maker.close();
  await folder.remove();
});

const restore = (url: string) => vitrine(["restore", file, "--into", into], { DATABASE_URL: url });

/** What the instance lists of its tokens. */
async function tokensOf(url: string): Promise<string> {
  const { data } = await vitrine(["api-token", "list"], { VITRINE_DIR: into, DATABASE_URL: url });
  return JSON.stringify(data);
}

/** All rows of a database. */
async function rowsOf(url: string): Promise<unknown> {
  const database = openDatabase({ url, file: "" });
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(
    database.db,
  );
  const all: Record<string, unknown> = {};
  for (const { name } of rows) {
    const table = await sql`select * from ${sql.table(name)}`.execute(database.db);
    all[name] = table.rows;
  }
  await database.close();
  return all;
}

test("the rows go into an empty database, whose address is said by the environment or on stdin", async () => {
  const url = await emptyDatabase();
  expect(await restore(url)).toMatchObject({
    code: 0,
    data: { database: "postgres", release: 1, migrated: [] },
  });
  expect(await tokensOf(url)).toContain('"name":"kept"');
  expect(await filesBelow(into)).not.toContain("data/vitrine.db");
  expect(await filesBelow(into)).not.toContain("database.dump");
  expect(await rowsOf(url)).toEqual(await rowsOf(address));
  await rm(into, { recursive: true });

  const other = await emptyDatabase();
  const args = ["restore", file, "--into", into, "--database-url-stdin"];
  expect(await vitrine(args, {}, `${other}\n`)).toMatchObject({ code: 0 });
  expect(await tokensOf(other)).toContain('"name":"kept"');
});

test("a database with anything in it stays as it is, and so does the folder", async () => {
  expect(await restore(address)).toMatchObject({
    code: 1,
    error: { code: "conflict", message: expect.stringContaining("isn't empty") },
  });
  expect(await exists(into)).toBe(false);
  const url = await emptyDatabase();
  const database = openDatabase({ url, file: "" });
  await sql`create sequence mine`.execute(database.db);
  await database.close();
  expect(await restore(url)).toMatchObject({ code: 1, error: { code: "conflict" } });
  expect(await vitrine(["restore", file, "--into", into])).toMatchObject({
    code: 1,
    error: {
      code: "bad_request",
      message: expect.stringMatching(/--database-url-stdin.*migrate-database --to sqlite/),
    },
  });
  expect(await exists(into)).toBe(false);
});

test("a database that can't be reached is told before anything is done", async () => {
  const nowhere = "postgres://me@127.0.0.1:1/none";
  const error = { code: "unavailable", message: expect.stringContaining("database") };
  expect(await restore(nowhere)).toMatchObject({ code: 1, error });
  expect(await exists(into)).toBe(false);
  const env = { VITRINE_DIR: join(folder.path, "instance"), DATABASE_URL: nowhere };
  const target = join(folder.path, "never.tar.gz");
  expect(await vitrine(["backup", target], env)).toMatchObject({ code: 1, error });
  expect(await readdir(folder.path)).not.toContain("never.tar.gz.part");
});

test("killed once the rows were there, it goes on; with another database it does not", async () => {
  const url = await emptyDatabase();
  expect(await restore(url)).toMatchObject({ code: 0 });
  // As a kill leaves it that comes before the folders are moved.
  const mark = { database: "elsewhere", dump: "0".repeat(64), answer: null };
  const reply = join(into, ".vitrine-restore/mark.json");
  const undo = async (more: Record<string, unknown>) => {
    await rm(into, { recursive: true, force: true });
    await mkdir(join(into, ".vitrine-restore/tree/data"), { recursive: true });
    await writeFile(reply, JSON.stringify({ ...mark, ...more }));
  };
  await undo({});
  expect(await restore(url)).toMatchObject({ code: 1, error: { code: "conflict" } });

  const entries = await readEntries(file);
  const data = entries.find(({ header }) => header.name === "database.dump")?.data;
  const dump = sha256Hex(data ?? "");
  await undo({ database: databaseLocation(address), dump });
  expect(await restore(url)).toMatchObject({ code: 1, error: { code: "conflict" } });
  await undo({ database: databaseLocation(url), dump });
  expect(await restore(url)).toMatchObject({ code: 0, data: { release: 1 } });
  expect(await tokensOf(url)).toContain('"name":"kept"');
  expect(await readdir(into)).toEqual(["content", "data", "vitrine.json"]);
});

test("a dump that the server refuses leaves neither rows nor files", async () => {
  const url = await emptyDatabase();
  const entries = await readEntries(file);
  const forged = join(folder.path, "forged.tar.gz");
  const broken = entries.map((entry) => {
    const isDump = entry.header.name === "database.dump";
    return isDump ? withText(entry, "PGDMP and no more") : entry;
  });
  await writeForged(forged, broken);
  const args = ["restore", forged, "--into", into];
  expect(await vitrine(args, { DATABASE_URL: url })).toMatchObject({
    code: 1,
    error: { code: "upstream_failed", message: expect.stringContaining("pg_restore") },
  });
  expect(await exists(into)).toBe(false);
  expect(await restore(url)).toMatchObject({ code: 0 });
});

/** A backup of an instance with SQLite that has a token. */
async function backUpSqlite(): Promise<{ archive: string; rows: unknown[] }> {
  const dir = join(folder.path, "sqlite");
  const archive = join(folder.path, "sqlite.tar.gz");
  await installSmall(dir);
  await vitrine(["api-token", "create", "from-sqlite"], { VITRINE_DIR: dir });
  await vitrine(["backup", archive], { VITRINE_DIR: dir });
  const { db, close } = openDatabase({ url: null, file: instancePaths(dir).database });
  const { rows } = await sql`select * from api_token`.execute(db);
  await close();
  return { archive, rows };
}

test("a backup of SQLite goes into an empty database of PostgreSQL, and continues after an interruption", async () => {
  const { archive, rows } = await backUpSqlite();
  const url = await emptyDatabase();
  const run = (copyRecords: CopyRecords) =>
    restoreBackup({
      file: archive,
      dir: into,
      databaseUrl: url,
      env: {},
      clock: systemClock,
      signal: new AbortController().signal,
      onProgress: () => {},
      copyRecords,
    });
  const copy = makeCopyRecords(systemClock);
  // Ended once the tables are there, before the first of them is filled.
  const ended = AbortSignal.abort(new Error("ended"));
  await expect(run((options) => copy({ ...options, signal: ended }))).rejects.toThrow("ended");
  expect(await exists(join(into, "data"))).toBe(false);
  const half = await vitrine(["api-token", "list"], {
    VITRINE_DIR: join(folder.path, "sqlite"),
    DATABASE_URL: url,
  });
  expect(half).toMatchObject({ code: 1, error: { code: "unavailable" } });
  expect(await vitrine(["restore", file, "--into", into], { DATABASE_URL: url })).toMatchObject({
    code: 1,
    error: { code: "conflict" },
  });
  const args = ["restore", archive, "--into", into];
  expect(await vitrine(args, { DATABASE_URL: url })).toMatchObject({
    code: 0,
    data: { database: "postgres", release: 1 },
  });
  expect(await tokensOf(url)).toContain('"name":"from-sqlite"');
  const found = (await rowsOf(url)) as Record<string, unknown[]>;
  expect(found["api_token"]).toEqual(rows);
  expect(found["rebuild_request"]).toEqual([]);
  expect(await filesBelow(into)).not.toContain("data/vitrine.db");
  // A new row gets the next number, and rows that don't fit together are refused.
  await vitrine(["api-token", "create", "later"], { VITRINE_DIR: into, DATABASE_URL: url });
  expect(await tokensOf(url)).toContain('"name":"later"');
});
