import type { Generated, Selectable } from "kysely";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../db/connect.ts";
import type { EmailPurpose } from "./outgoing-email.ts";

/**
 * `logged`: nothing accepted it, so it is in the log. `failed`: this particular email was refused.
 */
export const outboxStatuses = ["waiting", "sending", "sent", "logged", "failed"] as const;
export type OutboxStatus = (typeof outboxStatuses)[number];

/** How an email was sent: `log` means that nothing accepted it. */
export type EmailTransportName = "http" | "smtp" | "log";

interface OutboxTable {
  id: Generated<number>;
  purpose: EmailPurpose;
  recipient: string;
  subject: string;
  ciphertext: string | null;
  key_id: string | null;
  status: OutboxStatus;
  attempts: Generated<number>;
  created_at: string;
  due_at: string;
  sent_by: EmailTransportName | null;
  sent_at: string | null;
  failures: Generated<string>;
}

export type OutboxRow = Selectable<OutboxTable>;

function tables(db: Db) {
  return db.withTables<{ outbox_email: OutboxTable }>();
}

/** Inserts an email; returns its ID. Times are ISO 8601 UTC. */
export async function insertEmail(
  db: Db,
  email: Pick<
    OutboxRow,
    | "purpose"
    | "recipient"
    | "subject"
    | "ciphertext"
    | "key_id"
    | "status"
    | "created_at"
    | "due_at"
  >,
): Promise<number> {
  const row = await tables(db)
    .insertInto("outbox_email")
    .values(email)
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function findEmail(db: Db, id: number): Promise<OutboxRow | null> {
  const row = await tables(db)
    .selectFrom("outbox_email")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** Longer than any pause: an email due later than that was postponed by a clock that ran ahead. */
const maxWaitMs = 2 * 60 * 60 * 1000;

/** A time of this process's clock, ms. */
interface At {
  now: number;
}

/** Due emails, longest waiting first. */
export async function listDueEmails(db: Db, { now }: At, limit: number): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom("outbox_email")
    .select("id")
    .where("status", "in", ["waiting", "sending"])
    .where(({ or, eb }) =>
      or([eb("due_at", "<=", isoTime(now)), eb("due_at", ">", isoTime(now + maxWaitMs))]),
    )
    .orderBy("due_at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Claims a due email for `leaseMs`; of concurrent callers, one gets it. */
export async function claimEmail(
  db: Db,
  id: number,
  { now, leaseMs }: At & { leaseMs: number },
): Promise<OutboxRow | null> {
  const row = await tables(db)
    .updateTable("outbox_email")
    .set(({ eb }) => ({
      status: "sending" as const,
      attempts: eb("attempts", "+", 1),
      due_at: isoTime(now + leaseMs),
    }))
    .where("id", "=", id)
    .where("status", "in", ["waiting", "sending"])
    .where(({ or, eb }) =>
      or([eb("due_at", "<=", isoTime(now)), eb("due_at", ">", isoTime(now + maxWaitMs))]),
    )
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Claims an email reserved for its caller; null if the reservation has expired. */
export async function claimReservedEmail(
  db: Db,
  id: number,
  { now, leaseMs }: At & { leaseMs: number },
): Promise<OutboxRow | null> {
  const row = await tables(db)
    .updateTable("outbox_email")
    .set({ attempts: 1, due_at: isoTime(now + leaseMs) })
    .where("id", "=", id)
    .where("status", "=", "sending")
    .where("attempts", "=", 0)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** The new state of a claimed email. */
export type DeliveryOutcome = Pick<
  OutboxRow,
  "status" | "due_at" | "sent_by" | "sent_at" | "failures"
>;

/**
 * Stores the result of an attempt, unless another process has claimed the email since. Its content
 * is erased once it was sent.
 */
export async function updateDeliveryOutcome(
  db: Db,
  { id, attempts }: OutboxRow,
  outcome: DeliveryOutcome,
): Promise<void> {
  await tables(db)
    .updateTable("outbox_email")
    .set({ ...outcome, ...(outcome.status === "sent" ? { ciphertext: null, key_id: null } : {}) })
    .where("id", "=", id)
    .where("status", "=", "sending")
    .where("attempts", "=", attempts)
    .execute();
}

/** Retries an undelivered email while its content is still stored. Returns whether it does. */
export async function retryEmail(db: Db, id: number, { now }: At): Promise<boolean> {
  const result = await tables(db)
    .updateTable("outbox_email")
    .set({ status: "waiting", attempts: 0, due_at: isoTime(now), sent_by: null, sent_at: null })
    .where("id", "=", id)
    .where("status", "in", ["logged", "failed"])
    .where("ciphertext", "is not", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** How long an undelivered email's content and its row are kept, in ms. */
const retentionMs = { text: 7 * 24 * 60 * 60 * 1000, row: 30 * 24 * 60 * 60 * 1000 };

const settled = ["sent", "logged", "failed"] as const;

/** Erases the content of undelivered emails after a week, and deletes all emails after 30 days. */
export async function deleteOldEmails(db: Db, { now }: At): Promise<void> {
  await tables(db)
    .updateTable("outbox_email")
    .set({ ciphertext: null, key_id: null })
    .where("status", "in", settled)
    .where("ciphertext", "is not", null)
    .where("created_at", "<", isoTime(now - retentionMs.text))
    .execute();
  await tables(db)
    .deleteFrom("outbox_email")
    .where("status", "in", settled)
    .where("created_at", "<", isoTime(now - retentionMs.row))
    .execute();
}

/** The emails of the last 30 days, newest first, and their total number. */
export async function listEmails(
  db: Db,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ rows: OutboxRow[]; total: number }> {
  const rows = await tables(db)
    .selectFrom("outbox_email")
    .selectAll()
    .orderBy("id", "desc")
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
  const { total } = await tables(db)
    .selectFrom("outbox_email")
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** The newest emails to an address. */
export async function listEmailsTo(
  db: Db,
  recipient: string,
  limit: number,
): Promise<Pick<OutboxRow, "purpose" | "subject" | "created_at" | "sent_at" | "status">[]> {
  return tables(db)
    .selectFrom("outbox_email")
    .select(["purpose", "subject", "created_at", "sent_at", "status"])
    .where("recipient", "=", recipient)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** Deletes the emails to an address that are no longer waiting. */
export async function deleteSettledEmails(db: Db, recipient: string): Promise<void> {
  await tables(db)
    .deleteFrom("outbox_email")
    .where("recipient", "=", recipient)
    .where("status", "in", settled)
    .execute();
}

/**
 * The number of emails since `since` (ISO 8601) that nothing has accepted, both waiting and given
 * up.
 */
export async function countStuckEmails(db: Db, since: string): Promise<number> {
  const { stuck } = await tables(db)
    .selectFrom("outbox_email")
    .select(({ fn }) => fn.countAll<number>().as("stuck"))
    .where("created_at", ">=", since)
    .where((where) =>
      where.or([
        where("status", "=", "logged"),
        where.and([where("status", "=", "waiting"), where("attempts", ">", 0)]),
        // The first attempt may still succeed.
        where.and([where("status", "=", "sending"), where("attempts", ">", 1)]),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(stuck);
}
