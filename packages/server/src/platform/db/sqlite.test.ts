import { setTimeout as delay } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import { makeTestDatabase } from "../../../../../test/support/database.ts";
import { openDatabase } from "./connect.ts";
import { sqliteDialect } from "./sqlite.ts";

type Tables = { thing: { id: number; name: string } };

async function makeThings() {
  const made = await makeTestDatabase();
  await sql`create table thing (id integer primary key, name text not null)`.execute(
    made.database.db,
  );
  return { ...made, db: made.database.db.withTables<Tables>() };
}

test("the file is opened durable: write-ahead log, full sync, a busy timeout", async () => {
  await using made = await makeTestDatabase();
  const pragma = async (name: string) => {
    const { rows } = await sql
      .raw<Record<string, unknown>>(`pragma ${name}`)
      .execute(made.database.db);
    return Object.values(rows[0] ?? {})[0];
  };
  const names = ["journal_mode", "synchronous", "busy_timeout", "foreign_keys"];
  expect(await Promise.all(names.map(pragma))).toEqual(["wal", 2, 5000, 1]);
});

test("a transaction that throws leaves nothing, and its cached statements stay usable", async () => {
  const made = await makeThings();
  const insert = () =>
    made.db.transaction().execute(async (transaction) => {
      await transaction.insertInto("thing").values({ id: 1, name: "a" }).execute();
      throw new Error("no");
    });
  await expect(insert()).rejects.toThrow("no");
  await expect(insert()).rejects.toThrow("no");
  expect(await made.db.selectFrom("thing").selectAll().execute()).toEqual([]);
  await made.cleanup();
});

test("abuse 106: what ends a transaction by itself, as a full disk does, is what the caller hears of", async () => {
  const made = await makeThings();
  const fill = made.db.transaction().execute(async (transaction) => {
    await transaction.insertInto("thing").values({ id: 1, name: "a" }).execute();
    await sql`insert or rollback into thing (id, name) values (1, 'b')`.execute(transaction);
  });
  await expect(fill).rejects.toThrow("UNIQUE constraint failed");
  expect(await made.db.selectFrom("thing").selectAll().execute()).toEqual([]);
  await made.cleanup();
});

test("two connections that read, then write, both get through", async () => {
  const made = await makeThings();
  await made.db.insertInto("thing").values({ id: 1, name: "0" }).execute();
  const other = openDatabase({ url: null, file: made.file });
  const increment = (db: typeof made.db) =>
    db.transaction().execute(async (transaction) => {
      const { name } = await transaction
        .selectFrom("thing")
        .select("name")
        .executeTakeFirstOrThrow();
      await transaction
        .updateTable("thing")
        .set({ name: String(Number(name) + 1) })
        .execute();
    });
  for (let i = 0; i < 20; i += 1) {
    await increment(made.db);
    await increment(other.db.withTables<Tables>());
  }
  expect(await made.db.selectFrom("thing").select("name").executeTakeFirst()).toEqual({
    name: "40",
  });
  await other.close();
  await made.cleanup();
});

test("what finds the database locked for longer than the busy timeout gets its turn all the same", async () => {
  const made = await makeThings();
  const dialect = sqliteDialect(made.file, { busyMs: 5 });
  const late = new Kysely<Tables>({ dialect });
  const { promise: locked, resolve: hold } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const holder = made.db.transaction().execute(async (transaction) => {
    await transaction.insertInto("thing").values({ id: 1, name: "holder" }).execute();
    hold();
    await released;
  });
  await locked;
  const statement = late.insertInto("thing").values({ id: 2, name: "one" }).execute();
  const transaction = late.transaction().execute((trx) => {
    return trx.insertInto("thing").values({ id: 3, name: "two" }).execute();
  });
  await delay(100);
  release();
  await Promise.all([holder, statement, transaction]);
  expect(await made.db.selectFrom("thing").select("id").execute()).toHaveLength(3);
  await late.destroy();
  await made.cleanup();
});

test("a returning statement gives its row, a plain one its count", async () => {
  const made = await makeThings();
  const row = await made.db
    .insertInto("thing")
    .values({ id: 7, name: "x" })
    .returningAll()
    .executeTakeFirst();
  const updated = await made.db.updateTable("thing").set({ name: "y" }).executeTakeFirst();
  expect([row, Number(updated.numUpdatedRows)]).toEqual([{ id: 7, name: "x" }, 1]);
  await made.cleanup();
});
