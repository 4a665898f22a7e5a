import { type Generated, sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import type { Visit } from "./schema.ts";

interface VisitTable {
  id: Generated<number>;
  project_id: number;
  user_id: number | null;
  email: string;
  first_at: string;
  last_at: string;
  visits: number;
}

type Tables = { project_visit: VisitTable; project: { id: number; slug: string; name: string } };

function tables(db: Db) {
  return db.withTables<Tables>();
}

/** Marks deleted accounts; no email address has this form. */
const nobody = "removed:";

/**
 * Records that a user has opened a project. Counts a visit unless there was one since
 * `countedSince`. Times are ISO 8601 UTC.
 */
export async function recordVisit(
  db: Db,
  visit: { projectId: number; userId: number; email: string; at: string; countedSince: string },
): Promise<void> {
  const { projectId, userId, email, at, countedSince } = visit;
  await tables(db)
    .insertInto("project_visit")
    .values({
      project_id: projectId,
      user_id: userId,
      email,
      first_at: at,
      last_at: at,
      visits: 1,
    })
    .onConflict((conflict) =>
      conflict.columns(["project_id", "email"]).doUpdateSet({
        user_id: userId,
        last_at: at,
        visits: sql`project_visit.visits + case when project_visit.last_at <= ${countedSince} then 1 else 0 end`,
      }),
    )
    .execute();
}

/** Keeps the visits and their number without the user. */
export async function anonymizeVisitor(db: Db, user: { id: number; email: string }): Promise<void> {
  await tables(db)
    .updateTable("project_visit")
    .set({ email: `${nobody}${user.id}`, user_id: null })
    .where("email", "=", user.email)
    .execute();
}

/** Visits, latest first. */
export async function listVisits(
  db: Db,
  slice: { projectId?: number | undefined; email?: string; limit: number; offset: number },
): Promise<{ items: Visit[]; total: number }> {
  const { projectId, email, limit, offset } = slice;
  const all = tables(db)
    .selectFrom("project_visit")
    .$if(projectId !== undefined, (query) =>
      query.where("project_visit.project_id", "=", projectId ?? 0),
    )
    .$if(email !== undefined, (query) => query.where("project_visit.email", "=", email ?? ""));
  const { total } = await all
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await all
    .innerJoin("project", "project.id", "project_visit.project_id")
    .select(["project_visit.email", "user_id", "first_at", "last_at", "visits"])
    .select(["project.id as project_id", "project.slug", "project.name"])
    .orderBy("last_at", "desc")
    .orderBy("project_visit.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const items = rows.map((row): Visit => ({
    email: row.email.startsWith(nobody) ? null : row.email,
    hasAccount: row.user_id !== null,
    project: { id: row.project_id, slug: row.slug, name: row.name },
    firstAt: row.first_at,
    lastAt: row.last_at,
    visits: row.visits,
  }));
  return { items, total: Number(total) };
}

/** Visits after an ID, in order; an address stays when its account is deleted. */
export async function listVisitorsAfter(
  db: Db,
  id: number,
  limit: number,
): Promise<{ id: number; email: string }[]> {
  return tables(db)
    .selectFrom("project_visit")
    .select(["id", "email"])
    .where("id", ">", id)
    .orderBy("id")
    .limit(limit)
    .execute();
}
