import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { makeTestDatabase } from "../../../../../test/support/database.ts";
import { startDialect } from "../../../../../test/support/postgres.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { toAppError } from "../../kit/errors.ts";
import { type Db, openDatabase } from "./connect.ts";

/** What a caller hears of a statement that fails. */
async function answerOf(db: Db, statement: string) {
  const error: unknown = await sql
    .raw(statement)
    .execute(db)
    .then(
      () => null,
      (reason: unknown) => reason,
    );
  const { status, code, headers, message } = toAppError(error);
  expect(message).not.toMatch(/I\/O|query|terminat|ECONN/i);
  return { status, code, retryAfter: headers?.["retry-after"] };
}

const away = { status: 503, code: "unavailable", retryAfter: "5" };

test("abuse 165: an SQLite file that can't be written is said to be unavailable", async () => {
  await using made = await makeTestDatabase();
  const { db } = made.database;
  await sql`create table thing (id integer primary key)`.execute(db);
  await sql`pragma query_only = on`.execute(db);
  expect(await answerOf(db, "insert into thing (id) values (1)")).toEqual(away);
});

test("abuse 165: a statement that is wrong is a fault of ours, not of the moment", async () => {
  await using made = await makeTestDatabase();
  const { code } = await answerOf(made.database.db, "select * from nothing");
  expect(code).toBe("internal");
});

test("abuse 165: a PostgreSQL that isn't there is said to be unavailable", async () => {
  const { db, close } = openDatabase({ url: "postgres://vitrine@127.0.0.1:1/site", file: "" });
  expect(await answerOf(db, "select 1")).toEqual(away);
  await close();
});

test("abuse 165: a PostgreSQL that ends the connection is said to be unavailable", async () => {
  const maker = await startDialect("postgres");
  const { database } = await maker.make();
  const ends = "select pg_terminate_backend(pg_backend_pid())";
  expect(await answerOf(database.db, ends)).toEqual(away);
  await maker.close();
});

test("abuse 165: a locked SQLite file is said to be unavailable", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "a.db");
  const [one, other] = [new DatabaseSync(file), new DatabaseSync(file, { timeout: 0 })];
  one.exec("create table thing (id integer); begin immediate");
  let reason: unknown = null;
  try {
    other.exec("insert into thing values (1)");
  } catch (error) {
    reason = error;
  }
  expect(toAppError(reason)).toMatchObject({ status: 503, code: "unavailable" });
  one.close();
  other.close();
});
