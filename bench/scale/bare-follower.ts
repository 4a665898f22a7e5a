/** The least that a node could do to follow a publish: hear of it, and fetch what is new. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { Client } from "pg";
import { mapConcurrently } from "../../packages/server/src/kit/concurrency.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { openObjectStore } from "../../packages/server/src/platform/storage/object-store.ts";
import { parseStorageUrl } from "../../packages/server/src/platform/storage/storage-url.ts";
import type { Nodes } from "../../test/support/nodes.ts";

interface StoredObject {
  key: string;
  hash: string;
  bytes: number;
}

export interface BareFollower extends AsyncDisposable {
  /** The contents that the installation's own site has stored since the last call. */
  takeNew(): Promise<StoredObject[]>;
  /** Tells itself something through the database, then fetches the objects; returns the time in ms. */
  follow(objects: readonly StoredObject[]): Promise<number>;
}

const channel = "bench";
/** As many as a node fetches at once. */
const maxConcurrent = 8;

/** Opens it beside the nodes, which must have been started. */
export async function openBareFollower({ env }: Nodes): Promise<BareFollower> {
  const { DATABASE_URL: url, STORAGE_URL: storageUrl } = env;
  const database = openDatabase({ url, file: "" });
  const listener = new Client({ connectionString: url });
  await listener.connect();
  await listener.query(`listen ${channel}`);
  const objects = openObjectStore(parseStorageUrl(storageUrl, env));
  const known = new Set<string>();
  async function listObjects(): Promise<StoredObject[]> {
    const { rows } = await sql<StoredObject>`
      select object_key as key, name as hash, bytes from stored_blob where is_complete = 1`.execute(
      database.db,
    );
    return rows.map(({ key, hash, bytes }) => ({ key, hash, bytes: Number(bytes) }));
  }
  return {
    async takeNew() {
      const found = (await listObjects()).filter(({ key }) => !known.has(key));
      for (const { key } of found) known.add(key);
      return found;
    },
    async follow(wanted) {
      const folder = await mkdtemp(join(tmpdir(), "vitrine-bare-"));
      const began = performance.now();
      const told = once(listener, "notification");
      await sql`select pg_notify(${channel}, '')`.execute(database.db);
      await told;
      await mapConcurrently(wanted, maxConcurrent, ({ key, hash, bytes }) =>
        objects.get(key, { path: join(folder, hash), hash, bytes }),
      );
      const ms = performance.now() - began;
      await rm(folder, { recursive: true });
      return ms;
    },
    async [Symbol.asyncDispose]() {
      await listener.end();
      await objects.close();
      await database.close();
    },
  };
}
