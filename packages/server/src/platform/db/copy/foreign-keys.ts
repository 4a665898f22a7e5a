import { sql } from "kysely";
import { z } from "zod";
import { AppError } from "../../../kit/errors.ts";
import type { Database, Db } from "../connect.ts";

/** A foreign key of PostgreSQL that was dropped to copy rows in any order. */
export const foreignKeySchema = z.object({
  table: z.string(),
  name: z.string(),
  definition: z.string(),
});
export type ForeignKey = z.infer<typeof foreignKeySchema>;

/** The foreign keys of a PostgreSQL database. */
export async function listForeignKeys(db: Db): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace
    order by 1, 2`.execute(db);
  return rows;
}

/** Drops foreign keys of PostgreSQL; whoever calls it stores them in the same transaction. */
export async function dropForeignKeys(db: Db, keys: readonly ForeignKey[]): Promise<void> {
  for (const { table, name } of keys) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(db);
  }
}

/** Adds foreign keys of PostgreSQL that aren't there, which checks every row. */
export async function addForeignKeys(db: Db, keys: readonly ForeignKey[]): Promise<void> {
  const present = await listForeignKeys(db);
  const missing = keys.filter(
    ({ table, name }) => !present.some((one) => one.table === table && one.name === name),
  );
  for (const { table, name, definition } of missing) {
    const key = sql.raw(definition);
    await sql`alter table ${sql.table(table)} add constraint ${sql.id(name)} ${key}`.execute(db);
  }
}

/** Has SQLite enforce foreign keys or not; it may not be in a transaction. */
export async function enforceForeignKeys({ db }: Database, isOn: boolean): Promise<void> {
  await sql.raw(`pragma foreign_keys = ${isOn ? "on" : "off"}`).execute(db);
}

/** Throws if a row of SQLite refers to one that isn't there. */
export async function checkForeignKeys({ db }: Database): Promise<void> {
  const { rows } = await sql<{ table: string }>`pragma foreign_key_check`.execute(db);
  const [first] = rows;
  if (first === undefined) return;
  throw new AppError("conflict", `A row of ${first.table} refers to one that doesn't exist.`);
}
