import { sql } from "kysely";
import { type Database, openDatabase } from "./connect.ts";
import { migrate } from "./migrate.ts";

interface IndexDefinition {
  name: string;
  statement: string;
}

/** The indexes of this program's schema, as a new database has them. */
async function expectedIndexes(): Promise<IndexDefinition[]> {
  const fresh = openDatabase({ url: null, file: ":memory:" });
  try {
    await migrate({ database: fresh, now: 0 });
    const { rows } = await sql<IndexDefinition>`
      select name, sql as statement from sqlite_master
      where type = 'index' and sql is not null order by name`.execute(fresh.db);
    return rows;
  } finally {
    await fresh.close();
  }
}

async function indexNames({ db, dialect }: Database): Promise<Set<string>> {
  const query =
    dialect === "sqlite"
      ? sql<{ name: string }>`select name from sqlite_master where type = 'index'`
      : sql<{
          name: string;
        }>`select indexname as name from pg_indexes where schemaname = current_schema()`;
  return new Set((await query.execute(db)).rows.map(({ name }) => name));
}

async function missingIndexes(database: Database): Promise<IndexDefinition[]> {
  const present = await indexNames(database);
  return (await expectedIndexes()).filter(({ name }) => !present.has(name));
}

/** At most so many problems are named. */
const maxProblems = 100;
const indexProblem = /\bindex\b/i;

/** What SQLite finds in its file; PostgreSQL's indexes are the administrator's. */
async function fileProblems({ db, dialect }: Database): Promise<string[]> {
  if (dialect !== "sqlite") return [];
  const check = sql<{ integrity_check: string }>`pragma integrity_check(${sql.lit(maxProblems)})`;
  const { rows } = await check.execute(db);
  return rows.map(({ integrity_check: text }) => text).filter((text) => text !== "ok");
}

/** What is wrong with indexes, and with the file of SQLite. */
export async function findSchemaDamage(database: Database): Promise<string[]> {
  const [missing, problems] = [await missingIndexes(database), await fileProblems(database)];
  return [
    ...missing.map(({ name }) => `The index ${name} is missing.`),
    ...problems.map((problem) => `The database is damaged: ${problem}.`),
  ];
}

/**
 * Creates missing indexes, and makes damaged ones of SQLite anew from their tables. Damage of a
 * table stays.
 */
export async function repairSchema(database: Database): Promise<void> {
  const { db } = database;
  for (const { statement } of await missingIndexes(database)) await sql.raw(statement).execute(db);
  const problems = await fileProblems(database);
  if (problems.some((problem) => indexProblem.test(problem))) await sql`reindex`.execute(db);
}
