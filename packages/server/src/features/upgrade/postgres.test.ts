import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from "vitest";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { makeProgram } from "../../../../../test/support/upgrade-programs.ts";
import { type Database, openDatabase } from "../../platform/db/connect.ts";
import { createPostgresDatabase, postgresAddress } from "../../platform/db/scratch.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import { makeLiveTrial } from "./live-trial.ts";
import { commandOf } from "./programs.ts";
import { withScratchDatabase } from "./scratch-database.ts";

let maker: DatabaseMaker;
let url: string;
let server: Database;
let folder: TempFolder;
let paths: InstancePaths;
const { signal } = new AbortController();

beforeAll(async () => {
  maker = await startDialect("postgres", { empty: true });
  url = (await maker.make()).address.url ?? "";
  server = openDatabase({ url: postgresAddress(url, "postgres"), file: "" });
});
afterAll(async () => {
  await server.close();
  await maker.close();
});
beforeEach(async () => {
  folder = await tempFolder();
  paths = instancePaths(folder.path);
  await mkdir(paths.upgrade, { recursive: true });
});
afterEach(() => folder.remove());

async function query(address: string, text: string): Promise<unknown[]> {
  const database = openDatabase({ url: address, file: "" });
  try {
    return (await sql.raw(text).execute(database.db)).rows;
  } finally {
    await database.close();
  }
}

async function trialDatabases(): Promise<string[]> {
  const { rows } = await sql<{ datname: string }>`
    select datname from pg_database where datname like 'vitrine_trial_%'`.execute(server.db);
  return rows.map(({ datname }) => datname);
}

test("a scratch database is dropped after use, after a failure, and after a kill", async () => {
  const names = await withScratchDatabase(paths, url, async (scratch) => {
    await query(scratch, "create table tried (id integer)");
    return trialDatabases();
  });
  expect(names).toHaveLength(1);
  expect(await trialDatabases()).toEqual([]);
  const failing = withScratchDatabase(paths, url, () => Promise.reject(new Error("it failed")));
  await expect(failing).rejects.toThrow("it failed");
  expect(await trialDatabases()).toEqual([]);

  const left = "vitrine_trial_0123456789ab";
  await createPostgresDatabase(url, left);
  await writeFile(join(paths.upgrade, "scratch-database"), left);
  expect(await withScratchDatabase(paths, url, trialDatabases)).not.toContain(left);
  // Only databases of trials are dropped, whatever the file says.
  await writeFile(
    join(paths.upgrade, "scratch-database"),
    /\/([^/?]+)(?:\?|$)/.exec(url)?.[1] ?? "",
  );
  await withScratchDatabase(paths, url, async () => {});
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("without the right to create databases, the trial is refused with what to do", async () => {
  await query(url, "create role modest login");
  const modest = url.replace(/\/\/[^@/]*@/, "//modest@");
  expect(modest).not.toBe(url);
  const refused = withScratchDatabase(paths, modest, async () => {});
  await expect(refused).rejects.toThrow(/CREATEDB.*--without-trial/);
  expect(existsSync(join(paths.upgrade, "scratch-database"))).toBe(false);
  await query(url, "drop role modest");
});

test("the new version tries a copy of the current data, when nobody else has it open", async () => {
  await query(url, "create table kept (id integer); insert into kept values (7)");
  const dir = await makeProgram(join(folder.path, "new"));
  const config = { dir: folder.path, paths, databaseUrl: url };
  const env = { PATH: process.env["PATH"] };
  const command = commandOf(dir);
  const trial = makeLiveTrial({ config, command, env, signal, withoutTrial: false });
  const busy = openDatabase({ url, file: "" });
  await sql`select 1`.execute(busy.db);
  const running = trial.postgres?.();
  await busy.close();
  await running;
  const copied = await readFile(join(folder.path, "copied"), "utf8");
  expect(copied).toMatch(/\/vitrine_trial_[0-9a-f]{12}/);
  expect(existsSync(join(paths.upgrade, "database.dump"))).toBe(false);
  expect(await trialDatabases()).toEqual([]);
});
