import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ModelServer } from "../../support/model-server.ts";
import { startPostgres } from "../../support/postgres.ts";
import { startS3Server } from "../../support/publish-targets/s3-server.ts";
import { tempFolder } from "../../support/temp.ts";
import { filesWithoutRow } from "../invariants/check.ts";
import { type Journal, makeJournal } from "../journal.ts";
import { startScriptedModel } from "../model.ts";
import { installProduct, type Product } from "../product.ts";
import type { Random } from "../random.ts";
import { type StallingProxy, startDatabaseProxy } from "../proxy.ts";
import { makeReleasedPages, type ReleasedPages } from "./released-pages.ts";

/** What the load of nodes keeps besides its journal. */
export interface UploadJournal {
  /** The SHA-256 of each file that was acknowledged completely, and how it was sent. */
  files: Map<string, string>;
  /** Public addresses that any node must serve, by the time of their acknowledgment in ms. */
  addresses: Map<string, number>;
}

/** Several nodes of one instance, on one database and one object store. */
export interface Cluster extends AsyncDisposable {
  nodes: readonly Product[];
  /** What each node's connections to the database pass through. */
  proxies: ReadonlyMap<Product, StallingProxy>;
  /** The address of the database, for the checks. */
  databaseUrl: string;
  journal: Journal;
  uploads: UploadJournal;
  pages: ReleasedPages;
  model: ModelServer;
  /** The owner's API token, for reading and writing. */
  token: string;
  /** Media files that existed from the start and belong to no row. */
  ignoredFiles: ReadonlySet<string>;
}

async function openCluster(stack: AsyncDisposableStack, count: number) {
  const folder = stack.use(await tempFolder());
  const postgres = stack.use(await startPostgres({ durable: true }));
  const store = stack.use(await startS3Server());
  const model = stack.adopt(await startScriptedModel(), (server) => server.close());
  const databaseUrl = await postgres.createDatabase({ empty: true });
  const env = {
    STORAGE_URL: `s3://${store.bucket}/instance?endpoint=${store.endpoint}`,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    KEYS_DIR: join(folder.path, "keys"),
  };
  const nodes: Product[] = [];
  const proxies = new Map<Product, StallingProxy>();
  for (let number = 1; number <= count; number += 1) {
    const root = join(folder.path, `node-${number}`);
    await mkdir(root);
    const { proxy, url } = await startDatabaseProxy(databaseUrl);
    stack.defer(() => proxy.close());
    const node = await installProduct({
      root,
      modelUrl: model.url,
      databaseUrl: url,
      env,
      isFurtherNode: number > 1,
    });
    proxies.set(node, proxy);
    stack.defer(() => node.stop());
    node.start();
    await node.ready();
    nodes.push(node);
  }
  return { nodes, proxies, databaseUrl, model };
}

/** Installs and starts nodes; their disposal ends and removes everything. */
export async function startCluster(count: number): Promise<Cluster> {
  const stack = new AsyncDisposableStack();
  try {
    const { nodes, proxies, databaseUrl, model } = await openCluster(stack, count);
    const [first] = nodes;
    if (first === undefined) throw new Error("There are no nodes.");
    const made = await first.command(["api-token", "create", "load", "--scopes", "read,write"]);
    return {
      nodes,
      proxies,
      databaseUrl,
      model,
      journal: makeJournal(),
      uploads: { files: new Map(), addresses: new Map() },
      pages: makeReleasedPages(),
      token: String(made["token"]),
      ignoredFiles: await filesWithoutRow(first),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The nodes behind a load balancer that sends each request to any of them, also to one that is down. */
export function balanced({ nodes }: Cluster, random: Random): Product {
  const [first] = nodes;
  if (first === undefined) throw new Error("There are no nodes.");
  return {
    ...first,
    get baseUrl() {
      return random.pick(nodes).baseUrl;
    },
    request: (path, options) => random.pick(nodes).request(path, options),
  };
}
