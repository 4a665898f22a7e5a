import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import { tables } from "./store.ts";

/** The position after all others. */
export async function nextPosition(db: Db): Promise<number> {
  const row = await tables(db)
    .selectFrom("project")
    .select((expression) => expression.fn.max("position").as("last"))
    .executeTakeFirst();
  return row?.last === null || row?.last === undefined ? 0 : row.last + 1;
}

/** Prevents concurrent changes to the order until the end of the transaction. */
export async function lockOrder(db: Db): Promise<void> {
  // Writing a row locks it in PostgreSQL; SQLite has only one writer at a time.
  await tables(db)
    .updateTable("project")
    .set((expression) => ({ position: expression.ref("position") }))
    .where("id", "=", (expression) =>
      expression.selectFrom("project").select((inner) => inner.fn.min("id").as("first")),
    )
    .execute();
}

/** The positions of these projects, by ID. */
export async function findPositions(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await tables(db)
    .selectFrom("project")
    .select(["id", "position"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row.position]));
}

/** Makes positions unique if two projects share one; their order stays. */
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

/** Writes the positions of projects. */
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
