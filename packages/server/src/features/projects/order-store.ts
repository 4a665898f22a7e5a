import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import { tables } from "./store.ts";

/** The place behind all that are taken. */
export async function nextPosition(db: Db): Promise<number> {
  const row = await tables(db)
    .selectFrom("project")
    .select((expression) => expression.fn.max("position").as("last"))
    .executeTakeFirst();
  return row?.last === null || row?.last === undefined ? 0 : row.last + 1;
}

/** Holds others off who would change the order too, until the end of the transaction. */
export async function lockOrder(db: Db): Promise<void> {
  // A row that is written is locked, in PostgreSQL; SQLite lets no second writer in anyway.
  await tables(db)
    .updateTable("project")
    .set((expression) => ({ position: expression.ref("position") }))
    .where("id", "=", (expression) =>
      expression.selectFrom("project").select((inner) => inner.fn.min("id").as("first")),
    )
    .execute();
}

/** The places of these projects, by id. */
export async function findPositions(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await tables(db)
    .selectFrom("project")
    .select(["id", "position"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row.position]));
}

/** Gives each project a place of its own where two share one; their order stays. */
export async function separatePositions(db: Db): Promise<void> {
  const shared = await tables(db)
    .selectFrom("project")
    .select("position")
    .groupBy("position")
    .having((expression) => expression.fn.countAll(), ">", 1)
    .limit(1)
    .executeTakeFirst();
  if (shared === undefined) return;
  await sql`update project set position = ranked.place
    from (select id, row_number() over (order by position, id) - 1 as place from project) as ranked
    where ranked.id = project.id and project.position <> ranked.place`.execute(db);
}

/** Puts projects into places. */
export async function writePositions(db: Db, places: ReadonlyMap<number, number>): Promise<void> {
  const all = [...places];
  for (let i = 0; i < all.length; i += 500) {
    const rows = all
      .slice(i, i + 500)
      .map(([id, place]) => sql`(cast(${id} as integer), cast(${place} as integer))`);
    await sql`update project set position = given.column2
      from (values ${sql.join(rows)}) as given where given.column1 = project.id`.execute(db);
  }
}
