import { sql } from "kysely";
import { Client } from "pg";
import type { Log } from "../log.ts";
import type { Db } from "./connect.ts";
import { clientKeepAlive } from "./server-connections.ts";

/** PostgreSQL's channel for everything of this program. */
const channel = "vitrine";

/**
 * Tells all nodes something short when the transaction commits. Nobody may rely on hearing it: listeners
 * look by themselves from time to time.
 */
export async function notifyNodes(db: Db, message: string): Promise<void> {
  await sql`select pg_notify(${channel}, current_schema() || ' ' || ${message})`.execute(db);
}

/** Hears what other nodes tell. */
export interface Notifications {
  close(): Promise<void>;
}

const retryMs = 2000;

/**
 * Calls `onMessage` for everything that any node tells, also this one, and once after each connection,
 * with "", because something may have been told before. Connects again when the connection breaks.
 */
export function listenToNodes(
  { url, log }: { url: string; log: Log },
  onMessage: (message: string) => void,
): Notifications {
  return listenToSchemas({ url, log }, (schema, message, own) => {
    if (schema === own) onMessage(message);
  });
}

/** The same for all schemas of the database; `own` is that of the connection. */
export function listenToSchemas(
  { url, log }: { url: string; log: Log },
  onMessage: (schema: string, message: string, own: string) => void,
): Notifications {
  let client: Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function retry(broken: Client): void {
    if (client !== broken || isClosed) return;
    client = null;
    void broken.end().catch(() => {});
    timer = setTimeout(connect, retryMs);
  }

  async function open(opened: Client): Promise<void> {
    await opened.connect();
    const { rows } = await opened.query<{ schema: string }>("select current_schema() as schema");
    const own = rows[0]?.schema ?? "";
    opened.on("notification", ({ payload = "" }) => {
      const end = payload.indexOf(" ");
      onMessage(payload.slice(0, end), payload.slice(end + 1), own);
    });
    await opened.query(`listen ${channel}`);
    onMessage(own, "", own);
  }

  function connect(): void {
    const opened = new Client({ connectionString: url, ...clientKeepAlive, query_timeout: 10_000 });
    client = opened;
    opened.on("error", () => retry(opened));
    opened.on("end", () => retry(opened));
    open(opened).catch((error: unknown) => {
      log.warn({ err: error }, "can't listen to the other nodes; looking from time to time");
      retry(opened);
    });
  }

  connect();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
