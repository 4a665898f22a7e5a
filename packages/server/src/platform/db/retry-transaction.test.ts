import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import type { Db } from "./connect.ts";
import { retryTransaction } from "./retry-transaction.ts";

describe.each(dialects)("a transaction that conflicts, on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  beforeAll(async () => {
    maker = await startDialect(dialect);
    db = (await maker.make()).database.db;
  });
  afterAll(() => maker?.close());
  beforeEach(async () => {
    await sql`drop table if exists attempt`.execute(db);
    await sql`create table attempt (id integer primary key)`.execute(db);
    await sql`insert into attempt (id) values (1)`.execute(db);
  });

  const insert = (trx: Db, id: number) => sql`insert into attempt (id) values (${id})`.execute(trx);

  test("runs again and finds what the other one has written", async () => {
    let attempts = 0;
    const result = await retryTransaction(db, async (trx) => {
      attempts += 1;
      await insert(trx, attempts);
      return `row ${attempts}`;
    });
    expect(result).toBe("row 2");
  });

  test("fails with the conflict after so many attempts", async () => {
    let attempts = 0;
    const work = async (trx: Db) => {
      attempts += 1;
      await insert(trx, 1);
    };
    await expect(retryTransaction(db, work, { maxAttempts: 4 })).rejects.toThrow(/unique/i);
    expect(attempts).toBe(4);
  });

  test("fails at once with any other error", async () => {
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      throw new Error("not a conflict");
    };
    await expect(retryTransaction(db, work)).rejects.toThrow("not a conflict");
    expect(attempts).toBe(1);
  });
});
