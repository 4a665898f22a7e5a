import type { Db } from "../../platform/db/connect.ts";
import { emailStatuses, type MessageList, type MessageQuery, type MessageView } from "./schema.ts";
import { countUnread, listMessages, type MessageRow, listMessagesAfter } from "./store.ts";

function emailStatusOf(status: string | null): MessageView["emailStatus"] {
  if (status === "sending") return "waiting";
  return emailStatuses.find((outcome) => outcome === status) ?? null;
}

function viewOf(row: MessageRow): MessageView {
  const { id, name, email, message, at, ip } = row;
  return {
    id,
    name,
    email,
    message,
    at,
    ip,
    readAt: row.read_at,
    emailStatus: emailStatusOf(row.email_status),
  };
}

export async function readMessages(db: Db, query: MessageQuery): Promise<MessageList> {
  const { page, perPage } = query;
  const [{ rows, total }, unread] = await Promise.all([listMessages(db, query), countUnread(db)]);
  return { items: rows.map(viewOf), total, page, perPage, unread };
}

const columns = ["id", "at", "name", "email", "message", "readAt", "ip"] as const;

/** Characters that begin a formula in spreadsheets (OWASP, CSV injection). */
const formula = /^[\s"']*[=+\-@＝＋－＠|%]/u;

/** A CSV cell (RFC 4180); an apostrophe makes spreadsheets treat it as text. */
function cell(value: string | number | null): string {
  const text = String(value ?? "");
  const harmless = typeof value === "string" && formula.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""').replaceAll(/\r\n?|\n/g, "\r\n")}"`;
}

function csvOf(view: MessageView): string {
  return `${columns.map((column) => cell(view[column])).join(",")}\r\n`;
}

const atOnce = 200;

async function* allMessages(db: Db): AsyncGenerator<MessageView> {
  let last = 0;
  for (;;) {
    const rows = await listMessagesAfter(db, last, atOnce);
    for (const row of rows) yield viewOf(row);
    if (rows.length < atOnce) return;
    last = rows.at(-1)?.id ?? last;
  }
}

/** All messages as a file, oldest first, in chunks. */
export async function* exportMessages(db: Db, format: "csv" | "json"): AsyncGenerator<string> {
  if (format === "csv") {
    // The byte order mark tells spreadsheets that it is UTF-8.
    yield `\uFEFF${columns.join(",")}\r\n`;
    for await (const view of allMessages(db)) yield csvOf(view);
    return;
  }
  let before = "[\n";
  for await (const view of allMessages(db)) {
    yield `${before}  ${JSON.stringify(view)}`;
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}
