import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { Table } from "./tables.ts";

async function lastInSqlite({ db }: Database, { name }: Table): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select seq from sqlite_sequence where name = ${name}`.execute(db);
  return rows[0]?.seq ?? 0;
}

async function postgresSequence({ db }: Database, table: Table): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select pg_get_serial_sequence(quote_ident(${table.name}), ${table.identity}) as name`.execute(
    db,
  );
  return rows[0]?.name ?? "";
}

async function lastInPostgres(database: Database, table: Table): Promise<number> {
  // The server has quoted this name itself.
  const name = sql.raw(await postgresSequence(database, table));
  const { rows } = await sql<{ last: number; used: boolean }>`
    select last_value as last, is_called as used from ${name}`.execute(database.db);
  return rows[0]?.used ? Number(rows[0].last) : 0;
}

/** The number before the one that an identity column gives next; 0 for a new table. */
export function readCounter(database: Database, table: Table): Promise<number> {
  return database.dialect === "sqlite"
    ? lastInSqlite(database, table)
    : lastInPostgres(database, table);
}

/** The highest number that an identity column must not give again, also if its row is gone. */
export async function readSequence(database: Database, table: Table): Promise<number> {
  const column = sql.id(table.identity ?? "");
  const { rows } = await sql<{ max: number | null }>`
    select max(${column}) as max from ${sql.table(table.name)}`.execute(database.db);
  return Math.max(rows[0]?.max ?? 0, await readCounter(database, table));
}

/** Makes the next number of an identity column the one after `last`. */
export async function writeSequence(database: Database, table: Table, last: number): Promise<void> {
  const { db, dialect } = database;
  if (dialect === "sqlite") {
    await db.transaction().execute(async (transaction) => {
      await sql`delete from sqlite_sequence where name = ${table.name}`.execute(transaction);
      if (last === 0) return;
      await sql`insert into sqlite_sequence (name, seq) values (${table.name}, ${last})`.execute(
        transaction,
      );
    });
    return;
  }
  const sequence = await postgresSequence(database, table);
  await sql`select setval(${sequence}::regclass, ${Math.max(last, 1)}, ${last > 0})`.execute(db);
}
