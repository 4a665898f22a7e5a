import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { platformRoot } from "../paths.ts";
import { migrate } from "./migrate.ts";

const at = "2026-01-01T00:00:00.000Z";
const schema = join(platformRoot, "packages/server/database");

describe.each(dialects)("entries about several projects, on %s", (dialect) => {
  let maker: DatabaseMaker;
  beforeAll(async () => {
    maker = await startDialect(dialect, { empty: true });
  });
  afterAll(() => maker.close());

  test("an entry keeps the project that it is about, and may have others", async () => {
    await using folder = await tempFolder();
    const dir = join(folder.path, "database");
    await cp(schema, dir, { recursive: true });
    const migrations = await readdir(join(dir, "migrations"));
    for (const name of migrations.filter((one) => one >= "016")) {
      await rm(join(dir, "migrations", name));
    }
    const { database } = await maker.make();
    const { db } = database;
    await migrate({ database, now: 0, dir });
    await sql`insert into changelog_entry (id, kind, title, detail, at, actor, source, created_at)
      values (7, 'content', 'Updated “Quay”', '', ${at}, 'Mara', 'app', ${at})`.execute(db);
    await sql`insert into project_entry values (7, 3, 'changed', '["role"]')`.execute(db);
    const links = sql`select project_id, event, fields, visibility
      from changelog_entry_project where entry_id = 7 order by project_id`;
    const row = { event: "changed", fields: '["role"]', visibility: "public" };
    // The second time its record is lost, as after a restore of an older one.
    for (const isAgain of [false, true]) {
      if (isAgain) await sql`delete from migration`.execute(db);
      await migrate({ database, now: 0 });
      expect((await links.execute(db)).rows).toEqual([{ project_id: 3, ...row }]);
    }
    await sql`insert into changelog_entry_project values (7, 4, 'changed', '["role"]', 'public')`.execute(
      db,
    );
    expect((await links.execute(db)).rows).toHaveLength(2);
    await sql`delete from changelog_entry`.execute(db);
    expect((await links.execute(db)).rows).toEqual([]);
  });
});
