import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { isoTime } from "../../kit/time.ts";
import type { Database } from "./connect.ts";
import { databaseTime, dialectOf } from "./clock.ts";

describe.each(dialects)("the clock of %s", (dialect) => {
  let maker: DatabaseMaker;
  let database: Database;

  beforeAll(async () => {
    maker = await startDialect(dialect, { empty: true });
    ({ database } = await maker.make());
  });
  afterAll(() => maker.close());

  async function read(offsetMs?: number): Promise<string> {
    const time = databaseTime(database.db, offsetMs);
    const { rows } = await sql<{ time: string }>`select ${time} as time`.execute(database.db);
    return rows[0]?.time ?? "";
  }

  it("gives times as they are stored, with the offset asked for, also in a transaction", async () => {
    expect(dialectOf(database.db)).toBe(dialect);
    const before = Date.now();
    const [now, later, earlier] = [await read(), await read(90_500), await read(-3_600_001)];
    for (const time of [now, later, earlier]) expect(isoTime(Date.parse(time))).toBe(time);
    const after = Date.now();
    for (const [time, offset] of [
      [now, 0],
      [later, 90_500],
      [earlier, -3_600_001],
    ] as const) {
      // Either clock may round.
      expect(Date.parse(time) - offset).toBeGreaterThan(before - 1000);
      expect(Date.parse(time) - offset).toBeLessThan(after + 1000);
    }
    expect(await database.db.transaction().execute(async (trx) => dialectOf(trx))).toBe(dialect);
  });
});
