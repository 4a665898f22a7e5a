import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { sql } from "kysely";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { fillDatabase } from "../../../../../test/support/filled-database.ts";
import { copyMigratedDatabase } from "../../../../../test/support/migrated-database.ts";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { systemClock } from "../../kit/clock.ts";
import { chooseDatabase } from "../../platform/active-database.ts";
import { openDatabase } from "../../platform/db/connect.ts";
import { withReader, readRows } from "../../platform/db/copy/read-rows.ts";
import { listTableNames, readTables } from "../../platform/db/copy/tables.ts";
import { assertMigrated, createIncomplete } from "../../platform/db/migrate.ts";
import { moveMarks } from "../../platform/db/move-marks.ts";
import { acquireLock } from "../../platform/lock.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import { holdForMove } from "./hold.ts";
import { moveDatabase, planMove } from "./move.ts";
import type { MoveDependencies } from "./source.ts";
import { readMoveState, stateFile } from "./state.ts";

let maker: DatabaseMaker;
let folder: TempFolder;
let paths: InstancePaths;
const emptyDatabase = async () => (await maker.make()).address.url ?? "";

beforeAll(async () => {
  maker = await startDialect("postgres", { empty: true });
});
afterAll(() => maker.close());
beforeEach(async () => {
  folder = await tempFolder();
  paths = instancePaths(folder.path);
  await mkdir(paths.data, { recursive: true });
  await copyMigratedDatabase(paths.database);
  await chmod(paths.database, 0o600);
});
afterEach(() => folder.remove());

function makeDependencies(given: string | null = null): MoveDependencies {
  const { databaseUrl } = chooseDatabase(paths, given);
  return {
    config: { paths, databaseUrl },
    given,
    clock: systemClock,
    signal: new AbortController().signal,
    onProgress() {},
  };
}
const move = (url: string | null, given: string | null = null) =>
  moveDatabase(makeDependencies(given), { url });

/** All rows of a database, as text. */
async function dump(address: { url: string | null; file: string }) {
  const database = openDatabase(address);
  try {
    const tables = await readTables(database, await listTableNames(database));
    const all: Record<string, string[]> = {};
    for (const table of tables) {
      const options = { ignoredMigrations: moveMarks, isQuiet: true };
      all[table.name] = await withReader(database, options, async (reader) => {
        const rows: string[] = [];
        for await (const row of readRows(reader, table)) rows.push(row.text);
        return rows;
      });
    }
    return all;
  } finally {
    await database.close();
  }
}

test("every table goes to PostgreSQL and back unchanged", async () => {
  fillDatabase(paths.database);
  const before = await dump({ url: null, file: paths.database });
  const url = await emptyDatabase();
  const plan = await planMove(makeDependencies(), { url });
  expect(plan).toMatchObject({ target: "empty", tables: Object.keys(before).length });
  const there = await move(url);
  expect(await dump({ url, file: "" })).toEqual(before);
  expect(there).toMatchObject({ rows: plan.rows, skippedTables: [] });
  expect(chooseDatabase(paths, null).databaseUrl).toBe(url);
  const back = await move(null);
  expect(await dump({ url: null, file: paths.database })).toEqual(before);
  expect(back.left).toContain("PostgreSQL");
});

async function query<T>(address: { url: string | null; file: string }, text: string): Promise<T[]> {
  const database = openDatabase(address);
  try {
    return (await sql.raw<T>(text).execute(database.db)).rows;
  } finally {
    await database.close();
  }
}
const inSqlite = <T>(text: string) => query<T>({ url: null, file: paths.database }, text);
const inPostgres = <T>(url: string, text: string) => query<T>({ url, file: "" }, text);

const newToken = (name: string) =>
  `insert into api_token (name, token_hash, scopes, created_at) values ('${name}', '${name}', '', '') returning id`;

test("numbers aren't given again, even if their rows are gone", async () => {
  for (const name of ["one", "two", "three"]) await inSqlite(newToken(name));
  await inSqlite("delete from api_token where name = 'three'");
  const url = await emptyDatabase();
  await move(url);
  expect(await inPostgres(url, newToken("four"))).toEqual([{ id: 4 }]);
  await inPostgres(url, "delete from api_token where name = 'four'");
  await move(null);
  expect(await inSqlite(newToken("five"))).toEqual([{ id: 5 }]);
  // A table that never had a row begins with 1.
  expect(await inSqlite("select * from sqlite_sequence where name = 'project'")).toEqual([]);
});

/** Nothing has changed: the SQLite file serves, and no move is left. */
async function expectUntouched(): Promise<void> {
  expect(chooseDatabase(paths, null)).toMatchObject({ databaseUrl: null, moveId: null });
  expect(existsSync(stateFile(paths))).toBe(false);
  expect(await inSqlite(newToken(`token ${Math.random()}`))).toHaveLength(1);
}

test("abuse 214: targets that aren't empty, can't be reached, or give no rights are refused", async () => {
  const used = await emptyDatabase();
  await inPostgres(used, "create table guestbook (id integer)");
  await expect(move(used)).rejects.toThrow(/isn't empty/);
  await expect(planMove(makeDependencies(), { url: used })).rejects.toThrow(/isn't empty/);
  const tables = "select tablename from pg_tables where schemaname = 'public'";
  expect(await inPostgres(used, tables)).toEqual([{ tablename: "guestbook" }]);
  await expectUntouched();

  const other = await emptyDatabase();
  const mark = { instance: "other", moveId: "1", foreignKeys: [] };
  const database = openDatabase({ url: other, file: "" });
  await createIncomplete(database, mark);
  await expect(move(other)).rejects.toThrow(/another instance/);
  await database.close();

  const secret = "s3cret-word";
  const unreachable = move(`postgres://vitrine:${secret}@127.0.0.1:1/site`);
  await expect(unreachable).rejects.toThrow(/127\.0\.0\.1:1\/site\) can't be reached/);
  expect(JSON.stringify(await unreachable.catch((error: unknown) => error))).not.toContain(secret);
  const missing = used.replace(/\/test_\w+/, "/no_such_database");
  await expect(move(missing)).rejects.toThrow(/can't be reached: database .* does not exist/);

  const url = await emptyDatabase();
  await inPostgres(url, "create role modest login");
  await expect(move(url.replace("//vitrine@", "//modest@"))).rejects.toThrow(
    /modest may not create tables/,
  );
  await inPostgres(url, "drop role modest");
  await expectUntouched();
});

test("values that PostgreSQL can't store are named, and the next run continues", async () => {
  const url = await emptyDatabase();
  await inSqlite(newToken("kept"));
  await inSqlite(newToken("odd"));
  await inSqlite("update api_token set scopes = 'a' || char(0) || 'b' where name = 'odd'");
  await expect(move(url)).rejects.toThrow("api_token.scopes of the row 2 contains a NUL character");
  await expectUntouched();
  await inSqlite("update api_token set scopes = '' where name = 'odd'");
  await inSqlite("insert into admin_session values ('x', 9007199254740993, '', '', '', '', '')");
  await expect(move(url)).rejects.toThrow(
    /The row x of admin_session can't be stored: .*9007199254740993.* out of range/,
  );
  await expectUntouched();
  // No other program takes what is there for an instance's database.
  await expect(assertMigratedAt(url)).rejects.toThrow("This database isn't filled completely");
  await inSqlite("delete from admin_session");
  const before = await dump({ url: null, file: paths.database });
  expect(await planMove(makeDependencies(), { url })).toMatchObject({ target: "unfinished" });
  await move(url);
  expect(await dump({ url, file: "" })).toEqual(before);
});

async function assertMigratedAt(url: string): Promise<void> {
  const database = openDatabase({ url, file: "" });
  try {
    await assertMigrated(database);
  } finally {
    await database.close();
  }
}

test("what has changed since an interrupted move is brought over: values, numbers, and order", async () => {
  const project = (id: number) =>
    `insert into project (id, slug, name, status, body, position, created_at, updated_at) values (${id}, 'slug-${id}', '', 'draft', printf('%.${id % 7}0000c', 'x'), ${id}, '', '')`;
  for (let id = 1; id <= 60; id += 1) await inSqlite(project(id));
  await inSqlite(
    "insert into run (id, kind, mode, instruction, status, model, actor, created_at) values ('é', 'edit', 'build', '', 'failed', '', '', '')",
  );
  await inSqlite(
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000) insert into run_event select 'é', i, 'ping', '{}', '' from n",
  );
  const url = await emptyDatabase();
  const stop = { ...makeDependencies(), onStep: (step: string) => assertNotReady(step) };
  await expect(moveDatabase(stop, { url })).rejects.toThrow("stopped at verified");
  await expectUntouched();
  // Two rows exchange a unique value, of which the first is in an earlier batch.
  await inSqlite("update project set slug = 'temporary' where id = 1");
  await inSqlite("update project set slug = 'slug-1' where id = 59");
  await inSqlite("update project set slug = 'slug-59' where id = 1");
  await inSqlite("update project set name = 'é' where id % 3 = 0");
  await inSqlite("delete from project where id between 20 and 30");
  const before = await dump({ url: null, file: paths.database });
  await move(url);
  expect(await dump({ url, file: "" })).toEqual(before);
});

function assertNotReady(step: string): void {
  if (step === "verified") throw new Error(`stopped at ${step}`);
}

test("the database before refuses writes, says where the records are, and isn't used anymore", async () => {
  const url = await emptyDatabase();
  const there = await move(url);
  expect(there.left).toMatch(/vitrine\.db\.moved-\d{4}-\d\d-\d\dT/);
  expect(existsSync(paths.database)).toBe(false);
  const left = openDatabase({ url: null, file: there.left });
  await expect(assertMigrated(left)).rejects.toThrow(/were moved from this database to PostgreSQL/);
  await expect(sql.raw(newToken("lost")).execute(left.db)).rejects.toThrow("was moved");
  await left.close();

  const back = await move(null, url);
  expect(back.next).toContain("DATABASE_URL");
  await expect(inPostgres(url, newToken("lost"))).rejects.toThrow("was moved");
  await expect(assertMigratedAt(url)).rejects.toThrow("moved from this database to SQLite");
  // A variable that nobody has changed doesn't lead back.
  expect(chooseDatabase(paths, url)).toMatchObject({ databaseUrl: null, isDatabaseUrlLeft: true });
  const other = await emptyDatabase();
  expect(chooseDatabase(paths, other)).toMatchObject({ databaseUrl: other });
  await expect(move(url)).rejects.toThrow("an earlier move has left");
});

/** What a supervisor does for one move; returns whether it resumed. */
async function superviseMove(given: string | null): Promise<boolean> {
  const lock = acquireLock(paths.supervisorLock);
  const state = await eventually(() => {
    const found = readMoveState(paths);
    if (found?.phase !== "ready") throw new Error("The move isn't ready.");
    return found;
  });
  let isRunning = true;
  const log = pino({ level: "silent" });
  const { signal } = new AbortController();
  const pause = async () => void (isRunning = false);
  const resume = () => void (isRunning = true);
  await holdForMove({ paths, given, pause, resume, signal, log }, state);
  lock?.release();
  return isRunning;
}

test("a supervisor with another DATABASE_URL keeps its database, and its variable is known as left", async () => {
  const [url, other] = [await emptyDatabase(), await emptyDatabase()];
  const refused = move(url).catch((error: Error) => error.message);
  expect(await superviseMove(other)).toBe(true);
  expect(await refused).toContain("runs with another DATABASE_URL");
  await expectUntouched();

  await move(url);
  const [back, isRunning] = await Promise.all([move(null), superviseMove(url)]);
  expect(isRunning).toBe(true);
  expect(back.next).toContain("DATABASE_URL");
  expect(chooseDatabase(paths, url)).toMatchObject({ databaseUrl: null, isDatabaseUrlLeft: true });
});
