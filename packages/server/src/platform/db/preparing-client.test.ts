import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";

let maker: DatabaseMaker;

beforeAll(async () => {
  maker = await startDialect("postgres", { empty: true });
});
afterAll(() => maker.close());

it("has PostgreSQL prepare what is asked again and again, and nothing else", async () => {
  const { database } = await maker.make();
  await database.db.connection().execute(async (db) => {
    const doubled = async (value: number) =>
      (await sql<{ twice: number }>`select ${value}::integer * 2 as twice`.execute(db)).rows;
    for (const value of [1, 2, 3, 4, 5])
      expect(await doubled(value)).toEqual([{ twice: value * 2 }]);
    await sql`select ${1}::integer as once`.execute(db);
    // One that fails is no worse for it.
    for (let times = 0; times < 6; times += 1) {
      await expect(sql`select ${1}::integer / ${0}::integer`.execute(db)).rejects.toThrow("zero");
    }
    for (let text = 0; text < 250; text += 1) {
      for (let times = 0; times < 4; times += 1) {
        await sql`select ${text}::integer as ${sql.ref(`column_${text}`)}`.execute(db);
      }
    }
    const prepared = await sql<{ statement: string }>`
      select statement from pg_prepared_statements order by prepare_time`.execute(db);
    const texts = prepared.rows.map(({ statement }) => statement);
    expect(texts[0]).toContain("as twice");
    expect(texts.some((text) => text.includes("as once"))).toBe(false);
    expect(texts.length).toBeGreaterThan(190);
    expect(texts.length).toBeLessThanOrEqual(200);
  });
});
