import { join } from "node:path";
import { type InstanceOptions, startNode, type TestInstance } from "./instance.ts";
import { type PostgresServer, startPostgres, startTestPostgres } from "./postgres.ts";
import { type S3Server, startS3Server } from "./publish-targets/s3-server.ts";
import { tempFolder } from "./temp.ts";

/** For tests that look at what nodes do, and not at how the site is. */
const quiet = {
  QA_AUTOFIX: "off",
  QA_INTERVAL_MIN: "0",
  // So that a test can come from another address.
  TRUST_PROXY: "127.0.0.0/8,::1",
};

/** Nodes of one instance, each with a folder of its own, on one database and one object store. */
export interface Nodes extends AsyncDisposable {
  /** The database's address. */
  databaseUrl: string;
  /** The folder with the keys of all nodes. */
  keys: string;
  postgres: PostgresServer;
  store: S3Server;
  /** What all nodes have in their environment. */
  env: Readonly<
    Record<"DATABASE_URL" | "STORAGE_URL" | "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY", string>
  >;
  /** Installs and starts another node. */
  add(options?: InstanceOptions): Promise<TestInstance>;
}

/**
 * Starts the servers that the nodes share; `own` reaches the processes of all nodes, and a `durable`
 * database writes like a real one.
 */
export async function startNodes({
  own = quiet,
  durable = false,
}: { own?: Record<string, string>; durable?: boolean } = {}): Promise<Nodes> {
  const folder = await tempFolder();
  const postgres = await (durable ? startPostgres({ durable }) : startTestPostgres());
  const store = await startS3Server();
  const databaseUrl = await postgres.createDatabase({ empty: true });
  const keys = join(folder.path, "keys");
  const env = {
    DATABASE_URL: databaseUrl,
    STORAGE_URL: `s3://${store.bucket}/instance?endpoint=${store.endpoint}`,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    KEYS_DIR: keys,
    ...own,
  };
  const nodes: Promise<TestInstance>[] = [];
  return {
    databaseUrl,
    keys,
    postgres,
    store,
    env,
    add(options = {}) {
      const node = startNode({ ...options, env: { ...env, ...options.env } });
      nodes.push(node);
      return node;
    },
    async [Symbol.asyncDispose]() {
      const started = await Promise.allSettled(nodes);
      await Promise.all(
        started.map((node) => node.status === "fulfilled" && node.value[Symbol.asyncDispose]()),
      );
      await store[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}
