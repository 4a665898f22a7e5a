import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { startDialect } from "../../../../../test/support/postgres.ts";

test("a PostgreSQL connection that breaks within a transaction ends that, and nothing else", async () => {
  const maker = await startDialect("postgres", { empty: true });
  onTestFinished(() => maker.close());
  const { db } = (await maker.make()).database;
  const unheard = vi.fn<(error: unknown) => void>();
  process.on("uncaughtExceptionMonitor", unheard);
  onTestFinished(() => void process.off("uncaughtExceptionMonitor", unheard));
  const cut = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    const pid = rows[0]?.pid ?? 0;
    await sql`select pg_terminate_backend(${pid})`.execute(db);
    // Between two queries of the transaction it is nobody's.
    await eventually(async () => {
      const left = await sql`select 1 from pg_stat_activity where pid = ${pid}`.execute(db);
      expect(left.rows).toEqual([]);
    });
    await new Promise((resolve) => setImmediate(resolve));
    await sql`select 1`.execute(trx);
  });
  await expect(cut).rejects.toThrow(/connection/i);
  expect(unheard).not.toHaveBeenCalled();
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
});
