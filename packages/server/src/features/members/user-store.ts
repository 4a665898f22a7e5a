import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import type { Member } from "./schema.ts";

type Tables = {
  user_account: {
    id: number;
    email: string;
    name: string;
    email_verified_at: string | null;
    created_at: string;
  };
  user_session: { user_id: number; last_seen_at: string };
  invitation: { email: string; project_id: number; revoked_at: string | null };
  project_visit: { email: string; project_id: number; visits: number };
};

function tables(db: Db) {
  return db.withTables<Tables>();
}

/** Users whose address or name contains `q`, newest first. */
export async function listUsers(
  db: Db,
  { q = "", limit, offset }: { q?: string | undefined; limit: number; offset: number },
): Promise<{ items: Member[]; total: number }> {
  const pattern = `%${q.toLowerCase().replace(/[!%_]/g, "!$&")}%`;
  const found = tables(db)
    .selectFrom("user_account")
    .$if(q !== "", (query) =>
      query.where(
        sql<boolean>`(user_account.email like ${pattern} escape '!' or lower(user_account.name) like ${pattern} escape '!')`,
      ),
    );
  const { total } = await found
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await found
    .select(["id", "email", "name", "email_verified_at", "created_at"])
    .select((eb) => [
      eb
        .selectFrom("user_session")
        .select((inner) => inner.fn.max("last_seen_at").as("seen"))
        .whereRef("user_session.user_id", "=", "user_account.id")
        .as("seen"),
      eb
        .selectFrom("invitation")
        .select((inner) => inner.fn.countAll<number>().as("count"))
        .whereRef("invitation.email", "=", "user_account.email")
        .where("revoked_at", "is", null)
        .as("invitations"),
      eb
        .selectFrom("project_visit")
        .select((inner) => inner.fn.sum<number>("visits").as("sum"))
        .whereRef("project_visit.email", "=", "user_account.email")
        .as("visits"),
    ])
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const items = rows.map((row): Member => ({
    id: row.id,
    email: row.email,
    name: row.name,
    verified: row.email_verified_at !== null,
    createdAt: row.created_at,
    lastSeenAt: row.seen,
    invitations: Number(row.invitations ?? 0),
    visits: Number(row.visits ?? 0),
  }));
  return { items, total: Number(total) };
}

/** The number of invited addresses and of visitors, by project. */
export async function countByProject(
  db: Db,
): Promise<{ invited: Map<number, number>; opened: Map<number, number> }> {
  const count = sql<number>`count(*)`.as("count");
  const invited = await tables(db)
    .selectFrom("invitation")
    .select(["project_id", count])
    .where("revoked_at", "is", null)
    .groupBy("project_id")
    .execute();
  const opened = await tables(db)
    .selectFrom("project_visit")
    .select(["project_id", count])
    .groupBy("project_id")
    .execute();
  const asMap = (rows: { project_id: number; count: number }[]) =>
    new Map(rows.map((row) => [row.project_id, Number(row.count)]));
  return { invited: asMap(invited), opened: asMap(opened) };
}
