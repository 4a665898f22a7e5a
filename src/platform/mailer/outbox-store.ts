import type { Generated, Selectable } from "kysely";
import type { Db } from "../db/connect.ts";
import type { MailPurpose } from "./outgoing.ts";

/** `logged`: nobody took it, so it stands in the log. `failed`: whoever was asked refuses this very mail. */
export const mailStatuses = ["waiting", "sending", "sent", "logged", "failed"] as const;
export type MailStatus = (typeof mailStatuses)[number];

/** The way a mail has gone: `log` means that nobody took it. */
export type MailWay = "http" | "smtp" | "log";

interface OutboxTable {
  id: Generated<number>;
  purpose: MailPurpose;
  recipient: string;
  subject: string;
  ciphertext: string | null;
  key_id: string | null;
  status: MailStatus;
  attempts: Generated<number>;
  created_at: string;
  due_at: string;
  sent_by: MailWay | null;
  sent_at: string | null;
  failures: Generated<string>;
}

export type OutboxRow = Selectable<OutboxTable>;

function tables(db: Db) {
  return db.withTables<{ outbox_mail: OutboxTable }>();
}

/** Keeps a mail; gives its id. Times are ISO 8601 UTC. */
export async function insertMail(
  db: Db,
  mail: Pick<
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
    .insertInto("outbox_mail")
    .values(mail)
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function findMail(db: Db, id: number): Promise<OutboxRow | null> {
  const row = await tables(db)
    .selectFrom("outbox_mail")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}
