import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ModelServer } from "../support/model-server.ts";
import { filesWithoutRow } from "./invariants/check.ts";
import { type Journal, makeJournal } from "./journal.ts";
import { startScriptedModel } from "./model.ts";
import { type FaultyPostgres, startFaultyPostgres } from "./postgres.ts";
import { installProduct, type Product } from "./product.ts";
import { makeVolume, type Volume } from "./volume.ts";

/** A product on its own volume, with a scripted model. */
export interface Site extends AsyncDisposable {
  product: Product;
  volume: Volume;
  postgres: FaultyPostgres | null;
  model: ModelServer;
  journal: Journal;
  /** The owner's API token, for reading and writing. */
  token: string;
  /** Media files that existed from the start and belong to no row. */
  ignoredFiles: ReadonlySet<string>;
}

async function openSite(stack: AsyncDisposableStack, database: "sqlite" | "postgres") {
  const volume = stack.use(await makeVolume());
  // PostgreSQL's own user has to find the way.
  await chmod(volume.path, 0o755);
  await chmod(join(volume.path, ".."), 0o755);
  const model = stack.adopt(await startScriptedModel(), (server) => server.close());
  const postgres =
    database === "postgres"
      ? stack.adopt(
          await startFaultyPostgres(join(volume.path, "postgres"), join(volume.path, "../socket")),
          (server) => server.close(),
        )
      : null;
  const root = join(volume.path, "product");
  await mkdir(root);
  const databaseUrl = postgres?.url ?? null;
  const product = await installProduct({ root, modelUrl: model.url, databaseUrl });
  stack.defer(() => product.stop());
  product.start();
  await product.ready();
  const made = await product.command(["api-token", "create", "load", "--scopes", "read,write"]);
  return {
    product,
    volume,
    postgres,
    model,
    journal: makeJournal(),
    token: String(made["token"]),
    ignoredFiles: await filesWithoutRow(product),
  };
}

/** Installs a product and starts it; its disposal ends and removes everything. */
export async function startSite(database: "sqlite" | "postgres"): Promise<Site> {
  const stack = new AsyncDisposableStack();
  try {
    const site = await openSite(stack, database);
    return { ...site, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
