import { chmod, mkdir } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { fillDatabase } from "../../../../../test/support/filled-database.ts";
import { copyMigratedDatabase } from "../../../../../test/support/migrated-database.ts";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { systemClock } from "../../kit/clock.ts";
import { chooseDatabase } from "../../platform/active-database.ts";
import { openDatabase } from "../../platform/db/connect.ts";
import { withReader, readRows } from "../../platform/db/copy/read-rows.ts";
import { listTableNames, readTables } from "../../platform/db/copy/tables.ts";
import { moveMarks } from "../../platform/db/move-marks.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import { moveDatabase, planMove } from "./move.ts";
import type { MoveDependencies } from "./source.ts";

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
