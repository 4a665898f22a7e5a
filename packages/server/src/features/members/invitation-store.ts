import { type Generated, sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import type { OutboxStatus } from "../../platform/mailer/outbox-store.ts";
import type { Invitation } from "./schema.ts";

interface InvitationTable {
  id: Generated<number>;
  project_id: number;
  email: string;
  note: string;
  created_at: string;
  revoked_at: string | null;
  email_id: number | null;
}

type Tables = {
  invitation: InvitationTable;
  project: { id: number; slug: string; name: string };
  project_visit: {
    project_id: number;
    email: string;
    first_at: string;
    last_at: string;
    visits: number;
  };
  user_account: { id: number; email: string; email_verified_at: string | null };
  outbox_email: { id: number; status: OutboxStatus };
};

function tables(db: Db) {
  return db.withTables<Tables>();
}

/** The IDs of the projects that a lowercase address is invited to. */
export async function invitedProjectIds(db: Db, email: string): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom("invitation")
    .select("project_id")
    .where("email", "=", email)
    .where("revoked_at", "is", null)
    .execute();
  return rows.map((row) => row.project_id);
}

/** The addresses that are invited to a project. */
export async function invitedAddresses(db: Db, projectId: number): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("invitation")
    .select("email")
    .where("project_id", "=", projectId)
    .where("revoked_at", "is", null)
    .execute();
  return rows.map((row) => row.email);
}

/** Invites an address and returns the invitation's ID; null if it is already invited. */
export async function insertInvitation(
  db: Db,
  invitation: { projectId: number; email: string; note: string; at: string },
): Promise<number | null> {
  const { projectId, email, note, at } = invitation;
  const row = await tables(db)
    .insertInto("invitation")
    .values({
      project_id: projectId,
      email,
      note,
      created_at: at,
      revoked_at: null,
      email_id: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["project_id", "email"])
        .where(sql<boolean>`revoked_at is null`)
        .doNothing(),
    )
    .returning("id")
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The invitation with this id. */
export async function findInvitation(db: Db, id: number) {
  const row = await tables(db)
    .selectFrom("invitation")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** Stores which email was sent for an invitation. */
export async function setInvitationEmail(db: Db, id: number, emailId: number): Promise<void> {
  await tables(db)
    .updateTable("invitation")
    .set({ email_id: emailId })
    .where("id", "=", id)
    .execute();
}

/** Revokes an invitation; `at` is ISO 8601 UTC. False if it was revoked already. */
export async function endInvitation(db: Db, id: number, at: string): Promise<boolean> {
  const result = await tables(db)
    .updateTable("invitation")
    .set({ revoked_at: at })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}

/** Deletes the revoked invitations of a lowercase address. */
export async function deleteRevokedInvitations(db: Db, email: string): Promise<void> {
  await tables(db)
    .deleteFrom("invitation")
    .where("email", "=", email)
    .where("revoked_at", "is not", null)
    .execute();
}

/** Deletes invitations revoked before `before` (ISO 8601) of addresses without an account. */
export async function deleteOldInvitations(db: Db, before: string): Promise<void> {
  await tables(db)
    .deleteFrom("invitation")
    .where("revoked_at", "<", before)
    .where("email", "not in", (eb) => eb.selectFrom("user_account").select("email"))
    .execute();
}

interface Slice {
  projectId?: number | undefined;
  /** Lowercase. */
  email?: string;
  limit: number;
  offset: number;
}

const emailStatuses = {
  waiting: "waiting",
  sending: "waiting",
  sent: "sent",
  logged: "logged",
  failed: "failed",
} as const;

/** The invitations, live ones before revoked ones, newest first. */
export async function listInvitations(
  db: Db,
  { projectId, email, limit, offset }: Slice,
): Promise<{ items: Invitation[]; total: number }> {
  const all = tables(db)
    .selectFrom("invitation")
    .$if(projectId !== undefined, (query) =>
      query.where("invitation.project_id", "=", projectId ?? 0),
    )
    .$if(email !== undefined, (query) => query.where("invitation.email", "=", email ?? ""));
  const { total } = await all
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await all
    .innerJoin("project", "project.id", "invitation.project_id")
    .leftJoin("user_account", (join) =>
      join
        .onRef("user_account.email", "=", "invitation.email")
        // Otherwise, anybody could sign up with the address and get access.
        .on("user_account.email_verified_at", "is not", null),
    )
    .leftJoin("outbox_email", "outbox_email.id", "invitation.email_id")
    .leftJoin("project_visit", (join) =>
      join
        .onRef("project_visit.project_id", "=", "invitation.project_id")
        .onRef("project_visit.email", "=", "invitation.email"),
    )
    .select(["invitation.id", "invitation.email", "invitation.note"])
    .select(["invitation.created_at", "invitation.revoked_at", "invitation.project_id"])
    .select(["project.slug", "project.name", "user_account.id as user_id"])
    .select(["project_visit.first_at", "project_visit.last_at", "project_visit.visits"])
    .select("outbox_email.status as mail")
    .orderBy(sql`case when invitation.revoked_at is null then 0 else 1 end`)
    .orderBy("invitation.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const items = rows.map((row): Invitation => ({
    id: row.id,
    email: row.email,
    note: row.note,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    project: { id: row.project_id, slug: row.slug, name: row.name },
    hasAccount: row.user_id !== null,
    firstOpenedAt: row.first_at,
    lastOpenedAt: row.last_at,
    visits: row.visits ?? 0,
    emailStatus: row.mail === null ? null : emailStatuses[row.mail],
  }));
  return { items, total: Number(total) };
}

/** Invitations after an ID, in order, including revoked ones. */
export async function listInvitationsAfter(
  db: Db,
  id: number,
  limit: number,
): Promise<{ id: number; email: string; note: string }[]> {
  return tables(db)
    .selectFrom("invitation")
    .select(["id", "email", "note"])
    .where("id", ">", id)
    .orderBy("id")
    .limit(limit)
    .execute();
}
