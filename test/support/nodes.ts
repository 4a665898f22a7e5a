import { join } from "node:path";
import { type InstanceOptions, startInstance, type TestInstance } from "./instance.ts";
import { type PostgresServer, startPostgres } from "./postgres.ts";
import { type S3Server, startS3Server } from "./publish-targets/s3-server.ts";
import { tempFolder } from "./temp.ts";

/** Nodes of one instance, each with a folder of its own, on one database and one object store. */
export interface Nodes extends AsyncDisposable {
  postgres: PostgresServer;
  store: S3Server;
  /** What all nodes have in their environment. */
  env: Readonly<
    Record<"DATABASE_URL" | "STORAGE_URL" | "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY", string>
  >;
  /** Installs and starts another node. */
  add(options?: InstanceOptions): Promise<TestInstance>;
}

/** Starts the servers that the nodes share; a `durable` database writes like a real one. */
export async function startNodes({ durable = false } = {}): Promise<Nodes> {
  const folder = await tempFolder();
  const postgres = await startPostgres({ durable });
  const store = await startS3Server();
  const env = {
    DATABASE_URL: await postgres.createDatabase({ empty: true }),
    STORAGE_URL: `s3://${store.bucket}/instance?endpoint=${store.endpoint}`,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    KEYS_DIR: join(folder.path, "keys"),
    QA_AUTOFIX: "off",
    QA_INTERVAL_MIN: "0",
    // So that a test can come from another address.
    TRUST_PROXY: "127.0.0.0/8,::1",
  };
  const nodes: TestInstance[] = [];
  return {
    postgres,
    store,
    env,
    async add(options = {}) {
      const node = await startInstance({ ...options, env: { ...env, ...options.env } });
      nodes.push(node);
      return node;
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}
