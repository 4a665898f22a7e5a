import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openPublishLock } from "../features/release/current-symlink.ts";
import { openSharedStorage, type SharedStorage } from "../features/storage/shared-storage.ts";
import { makeRepository, type Repository } from "../features/workspace/git.ts";
import type { Config, Environment } from "../platform/config.ts";
import { type Db, openDatabase } from "../platform/db/connect.ts";
import { openLock } from "../platform/lock.ts";
import type { Log } from "../platform/log.ts";
import { siteConfig } from "./launch-site.ts";
import { notReady } from "./shared-site-work.ts";

/** How long to wait for a publish of the site, in ms. */
const lockTimeoutMs = 60_000;
/** How long another process of this machine may take to install a copy, in ms. */
const installTimeoutMs = 10 * 60_000;

/** A site's records and files while none of its processes runs. */
export interface OpenedSite {
  site: Config;
  db: Db;
  shared: SharedStorage;
  repository: Repository;
}

/** Opens a site that has a folder here, with the lock of its publishes. */
export async function withSite<T>(
  { config, env, log }: { config: Config; env: Environment; log: Log },
  id: string,
  work: (opened: OpenedSite) => Promise<T>,
): Promise<T> {
  const site = siteConfig(env, config, id);
  const { content: contentDir, workspaces: workspacesDir, data, database: file } = site.paths;
  const database = openDatabase({ url: site.databaseUrl, file });
  const shared = openSharedStorage(site, database.db);
  if (shared === null) throw notReady("This installation has no object store.");
  const remote = shared.content;
  const repository = makeRepository({ contentDir, workspacesDir, log, remote });
  const lock = openPublishLock({ data });
  try {
    const opened = { site, db: database.db, shared, repository };
    return await lock.run(() => work(opened), { waitMs: lockTimeoutMs });
  } finally {
    lock.close();
    repository.close();
    await shared.close();
    await database.close();
  }
}

/** Runs `work` as the only process of this node that makes, changes, or removes its copy of a site. */
export async function lockCopy<T>(
  { paths: { sites, data } }: Pick<Config, "paths">,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(sites, { recursive: true, mode: 0o700 });
  const lock = openLock(join(data, "site-copies", `${id}.lock`));
  try {
    return await lock.run(work, { waitMs: installTimeoutMs });
  } finally {
    lock.close();
  }
}
