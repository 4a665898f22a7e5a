import { type Generated, type Selectable, sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

interface MessageTable {
  id: Generated<number>;
  name: string;
  email: string;
  message: string;
  at: string;
  ip: string;
  user_agent: string;
  read_at: string | null;
  email_id: number | null;
}

/** A message with the delivery status of its notification. */
export type MessageRow = Selectable<MessageTable> & { email_status: string | null };

function tables(db: Db) {
  return db.withTables<{
    contact_message: MessageTable;
    outbox_email: { id: number; status: string };
  }>();
}

export async function insertMessage(
  db: Db,
  message: Omit<Selectable<MessageTable>, "id" | "read_at">,
): Promise<number> {
  const row = await tables(db)
    .insertInto("contact_message")
    .values({ ...message, read_at: null })
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

/** The number of messages. */
export async function countMessages(db: Db): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("contact_message")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function countUnread(db: Db): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("contact_message")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("read_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export interface MessageFilter {
  unread?: boolean | undefined;
  q?: string | undefined;
}

/** Matching messages, unordered. */
function fitting(db: Db, { unread, q = "" }: MessageFilter) {
  const pattern = `%${q.trim().replaceAll(/[!%_]/g, "!$&")}%`;
  const text = sql`contact_message.name || ' ' || contact_message.email || ' ' || contact_message.message`;
  return tables(db)
    .selectFrom("contact_message")
    .$if(unread === true, (query) => query.where("contact_message.read_at", "is", null))
    .$if(unread === false, (query) => query.where("contact_message.read_at", "is not", null))
    .$if(q.trim() !== "", (query) =>
      query.where(sql<boolean>`lower(${text}) like lower(${pattern}) escape '!'`),
    );
}

/** A page of matching messages, unread before read, newest first; and their total number. */
export async function listMessages(
  db: Db,
  query: MessageFilter & { page: number; perPage: number },
): Promise<{ rows: MessageRow[]; total: number }> {
  const { page, perPage } = query;
  const rows = await fitting(db, query)
    .leftJoin("outbox_email", "outbox_email.id", "contact_message.email_id")
    .selectAll("contact_message")
    .select("outbox_email.status as email_status")
    .orderBy(sql`case when contact_message.read_at is null then 0 else 1 end`)
    .orderBy("contact_message.id", "desc")
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
  const { count } = await fitting(db, query)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(count) };
}

/** The messages after this ID, oldest first. */
export async function listMessagesAfter(db: Db, id: number, limit: number): Promise<MessageRow[]> {
  return tables(db)
    .selectFrom("contact_message")
    .leftJoin("outbox_email", "outbox_email.id", "contact_message.email_id")
    .selectAll("contact_message")
    .select("outbox_email.status as email_status")
    .where("contact_message.id", ">", id)
    .orderBy("contact_message.id")
    .limit(limit)
    .execute();
}

/** The newest messages sent with this address, in any case. */
export async function listMessagesFrom(
  db: Db,
  email: string,
  limit: number,
): Promise<{ name: string; message: string; at: string }[]> {
  return tables(db)
    .selectFrom("contact_message")
    .select(["name", "message", "at"])
    .where(({ fn }) => fn<string>("lower", ["email"]), "=", email.toLowerCase())
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** Marks messages as read or unread; returns how many changed. */
export async function markRead(
  db: Db,
  ids: readonly number[],
  readAt: string | null,
): Promise<number> {
  const result = await tables(db)
    .updateTable("contact_message")
    .set({ read_at: readAt })
    .where("id", "in", ids)
    .where("read_at", readAt === null ? "is not" : "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Deletes messages; returns how many there were. */
export async function deleteMessages(db: Db, ids: readonly number[]): Promise<number> {
  const result = await tables(db)
    .deleteFrom("contact_message")
    .where("id", "in", ids)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
