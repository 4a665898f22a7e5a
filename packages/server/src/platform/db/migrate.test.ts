import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bundle, bundleProgram } from "../../../../../test/support/bundle.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { nodeBinary, platformRoot } from "../paths.ts";
import type { Database } from "./connect.ts";
import { assertMigrated, migrate, type Migration, readMigrations } from "./migrate.ts";

const now = Date.UTC(2026, 0, 1);
const schema = join(platformRoot, "packages/server/database");

type Address = { url: string | null; file: string };

let program: Bundle;
beforeAll(async () => {
  program = await bundleProgram("migrate-process.ts");
});
afterAll(() => program?.remove());

/** Migrates in a process of its own; it kills itself before statement `killAt`. Gives how it ended. */
async function migrateElsewhere(address: Address, killAt = -1): Promise<number | string | null> {
  const args = [program.file, JSON.stringify({ ...address, dir: schema, killAt })];
  const env = { ...process.env, ...program.env };
  const child = spawn(nodeBinary, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== 0 && signal === null) throw new Error(errors);
  return code ?? signal;
}

async function describeSchema({ db, dialect }: Database): Promise<string[]> {
  const query =
    dialect === "sqlite"
      ? sql<{ line: string }>`select name || ': ' || coalesce(sql, '') as line from sqlite_schema
          order by 1`
      : sql<{ line: string }>`select table_name || '.' || column_name || ' ' || data_type as line
          from information_schema.columns where table_schema = 'public'
          union all select indexdef from pg_indexes where schemaname = 'public' order by 1`;
  return (await query.execute(db)).rows.map((row) => row.line);
}

async function recordedNames({ db }: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migration order by name`.execute(
    db,
  );
  return rows.map((row) => row.name);
}

describe.each(dialects)("migrate on %s", (dialect) => {
  let maker: DatabaseMaker;
  let names: string[];
  let migrations: Migration[];
  let whole: string[];
  beforeAll(async () => {
    maker = await startDialect(dialect, { empty: true });
    migrations = await readMigrations(schema, dialect);
    names = migrations.map((migration) => migration.name);
    const { database } = await maker.make();
    await migrate({ database, now });
    whole = await describeSchema(database);
  });
  afterAll(() => maker.close());

  test("applies each once and finds nothing to do the second time", async () => {
    const { database } = await maker.make();
    await expect(assertMigrated(database)).rejects.toMatchObject({ code: "unavailable" });
    expect(await migrate({ database, now })).toEqual({ applied: names });
    expect(await migrate({ database, now })).toEqual({ applied: [] });
    await assertMigrated(database);
  });

  test("abuse 100: killed at every statement, it leaves what was, and running again completes", async () => {
    const { database, address } = await maker.make();
    for (const [index, { name, statements }] of migrations.entries()) {
      // The first kill lands before anything of this migration: that is what each later one leaves.
      let before: string[] | null = null;
      for (let killAt = 0; killAt < statements.length; killAt += 1) {
        const end = await migrateElsewhere(address, killAt);
        expect({ name, killAt, end }).toEqual({ name, killAt, end: "SIGKILL" });
        before ??= await describeSchema(database);
        expect(await describeSchema(database)).toEqual(before);
        expect(await recordedNames(database)).toEqual(names.slice(0, index));
      }
      const next = index + 1 < migrations.length ? "SIGKILL" : 0;
      expect(await migrateElsewhere(address, statements.length)).toBe(next);
      expect(await recordedNames(database)).toEqual(names.slice(0, index + 1));
    }
    expect(await describeSchema(database)).toEqual(whole);
  }, 240_000);

  test("four processes at once apply each migration once, and all succeed", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { database, address } = await maker.make();
      const ends = await Promise.all([0, 1, 2, 3].map(() => migrateElsewhere(address)));
      expect(ends).toEqual([0, 0, 0, 0]);
      expect(await recordedNames(database)).toEqual(names);
      expect(await describeSchema(database)).toEqual(whole);
    }
  });

  test("every statement is create-if-missing: records lost, the schema still composes", async () => {
    const { database } = await maker.make();
    await migrate({ database, now });
    await sql`delete from migration`.execute(database.db);
    expect(await migrate({ database, now })).toEqual({ applied: names });
    expect(await describeSchema(database)).toEqual(whole);
  });

  test("abuse 101: a database newer than the program is refused, unchanged", async () => {
    const { database } = await maker.make();
    await migrate({ database, now });
    await sql`insert into migration (name, checksum, applied_at)
      values ('999-tomorrow', 'x', '2030-01-01T00:00:00.000Z')`.execute(database.db);
    const refusal = { code: "unavailable", message: expect.stringMatching(/999-tomorrow/) };
    await expect(migrate({ database, now })).rejects.toMatchObject(refusal);
    await expect(assertMigrated(database)).rejects.toMatchObject(refusal);
    expect(await recordedNames(database)).toEqual([...names, "999-tomorrow"]);
  });

  test("a migration that was changed after it was applied is refused", async () => {
    await using folder = await tempFolder();
    const dir = join(folder.path, "database");
    await cp(schema, dir, { recursive: true });
    const { database } = await maker.make();
    await migrate({ database, now, dir });
    await writeFile(
      join(dir, "migrations", "002-content.sql"),
      "create table other (a integer);\n",
    );
    await expect(migrate({ database, now, dir })).rejects.toThrow(/002-content has changed/);
    expect(await describeSchema(database)).toEqual(whole);
  });

  test("a statement that fails takes its whole migration back", async () => {
    await using folder = await tempFolder();
    const dir = join(folder.path, "database");
    await cp(schema, dir, { recursive: true });
    const number = String(names.length).padStart(3, "0");
    const broken = "create table half (a integer);\ncreate table half (a integer);\n";
    await writeFile(join(dir, "migrations", `${number}-broken.sql`), broken);
    const { database } = await maker.make();
    await expect(migrate({ database, now, dir })).rejects.toThrow(/half/);
    expect(await describeSchema(database)).toEqual(whole);
    expect(await recordedNames(database)).toEqual(names);
  });
});
