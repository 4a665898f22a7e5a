import { sql } from "kysely";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { parseJson } from "../../kit/json.ts";
import type { Database, Db } from "./connect.ts";
import { type ForeignKey, foreignKeySchema } from "./copy/foreign-keys.ts";

/**
 * Marks are rows among the applied migrations, because every version of the program refuses a
 * database with a migration that it doesn't know.
 */
export const movedMark = "database-moved";
export const incompleteMark = "database-incomplete";
/** Rows of `migration` that no move copies. */
export const moveMarks = [movedMark, incompleteMark];

const movedSchema = z.object({ moveId: z.string(), to: z.string(), at: z.string() });
/** What a database whose rows were moved says: the move, and where they are now. */
export type Moved = z.infer<typeof movedSchema>;

const incompleteSchema = z.object({
  /** The instance that fills it, and the move that did so last. */
  instance: z.string(),
  moveId: z.string(),
  /** PostgreSQL's, to be added at the end. */
  foreignKeys: z.array(foreignKeySchema),
});
/** What a database that is being filled says. */
export type Incomplete = z.infer<typeof incompleteSchema> & { foreignKeys: ForeignKey[] };

type Tables = { migration: { name: string; checksum: string; applied_at: string } };

/** Before its first migration, a database has no table for marks. */
function undefinedIfMissing(error: unknown): undefined {
  const { code, message } = error as { code?: unknown; message?: string };
  if (code === "42P01" || message?.startsWith("no such table")) return undefined;
  throw error;
}

async function readMark<T>(db: Db, name: string, schema: z.ZodType<T>): Promise<T | null> {
  const row = await db
    .withTables<Tables>()
    .selectFrom("migration")
    .select("checksum")
    .where("name", "=", name)
    .executeTakeFirst()
    .catch(undefinedIfMissing);
  return row === undefined ? null : schema.parse(parseJson(row.checksum));
}

export const readMoved = (db: Db) => readMark(db, movedMark, movedSchema);
export const readIncomplete = (db: Db) => readMark(db, incompleteMark, incompleteSchema);

async function writeMark(db: Db, name: string, value: unknown): Promise<void> {
  const row = { name, checksum: JSON.stringify(value), applied_at: "" };
  const { checksum } = row;
  await db
    .withTables<Tables>()
    .insertInto("migration")
    .values(row)
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ checksum }))
    .execute();
}

export const writeIncomplete = (db: Db, mark: Incomplete) => writeMark(db, incompleteMark, mark);

async function deleteMark(db: Db, name: string): Promise<void> {
  await db.withTables<Tables>().deleteFrom("migration").where("name", "=", name).execute();
}

export const deleteIncomplete = (db: Db) => deleteMark(db, incompleteMark);

/** What a program says that opens a database with this mark. */
export function markError(name: string, checksum: string): AppError | null {
  if (name === incompleteMark) {
    const message =
      "This database isn't filled completely. Run the same `vitrine migrate-database` or `vitrine restore` again, or use an empty database.";
    return new AppError("unavailable", message);
  }
  if (name !== movedMark) return null;
  const { to, at } = movedSchema.parse(parseJson(checksum));
  const message = `The records were moved from this database to ${to} on ${at}. Check DATABASE_URL.`;
  return new AppError("unavailable", message);
}

/** How many marks a database has. */
export async function countMarks(db: Db): Promise<number> {
  const rows = await db
    .withTables<Tables>()
    .selectFrom("migration")
    .select("name")
    .where("name", "in", moveMarks)
    .execute();
  return rows.length;
}

/** Throws what `markError` says of a database with a mark. */
export async function assertNotMarked({ db }: Database): Promise<void> {
  const rows = await db
    .withTables<Tables>()
    .selectFrom("migration")
    .select(["name", "checksum"])
    .where("name", "in", moveMarks)
    .execute();
  for (const { name, checksum } of rows) {
    const error = markError(name, checksum);
    if (error !== null) throw error;
  }
}

/** How long writers may hold a table before PostgreSQL gives up to lock it. */
const lockTimeout = "20s";
const triggerName = "vitrine_moved";
const refusal = "This database was moved.";

async function freezePostgres(db: Db, tables: readonly string[]): Promise<void> {
  await sql.raw(`set local lock_timeout = '${lockTimeout}'`).execute(db);
  const names = sql.join(tables.map((name) => sql.table(name)));
  await sql`lock table ${names} in share row exclusive mode`.execute(db);
  await sql
    .raw(
      `create or replace function ${triggerName}() returns trigger language plpgsql as $$ begin raise exception '${refusal}'; end $$`,
    )
    .execute(db);
  for (const name of tables) {
    await sql
      .raw(
        `create trigger ${triggerName} before insert or update or delete on "${name}" for each statement execute function ${triggerName}()`,
      )
      .execute(db);
  }
}

const events = ["insert", "update", "delete"];
const sqliteTrigger = (table: string, event: string) => `"${triggerName}_${event}_${table}"`;

async function freezeSqlite(db: Db, tables: readonly string[]): Promise<void> {
  for (const name of tables) {
    for (const event of events) {
      await sql
        .raw(
          `create trigger ${sqliteTrigger(name, event)} before ${event} on "${name}" begin select raise(abort, '${refusal}'); end`,
        )
        .execute(db);
    }
  }
}

async function dropTriggers({ dialect }: Database, db: Db, tables: readonly string[]) {
  if (dialect === "postgres") {
    for (const name of tables) {
      await sql.raw(`drop trigger if exists ${triggerName} on "${name}"`).execute(db);
    }
    await sql.raw(`drop function if exists ${triggerName}()`).execute(db);
    return;
  }
  for (const name of tables) {
    for (const event of events) {
      await sql.raw(`drop trigger if exists ${sqliteTrigger(name, event)}`).execute(db);
    }
  }
}

/**
 * Has a database refuse every write from now on, durably, and say where its rows are. Waits for
 * transactions that are writing, so whoever was acknowledged is in it.
 */
export async function freezeDatabase(
  database: Database,
  tables: readonly string[],
  moved: Moved,
): Promise<void> {
  await database.db.transaction().execute(async (db) => {
    await writeMark(db, movedMark, moved);
    const freeze = database.dialect === "postgres" ? freezePostgres : freezeSqlite;
    await freeze(db, tables);
  });
}

/**
 * Has a database accept writes again that this move has frozen, or any move for null; does nothing
 * for another one.
 */
export async function thawDatabase(
  database: Database,
  tables: readonly string[],
  moveId: string | null,
): Promise<void> {
  await database.db.transaction().execute(async (db) => {
    const moved = await readMoved(db);
    if (moved === null || (moveId !== null && moved.moveId !== moveId)) return;
    await dropTriggers(database, db, tables);
    await deleteMark(db, movedMark);
  });
}
