import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { findSiteWork, type SiteWork } from "../features/sites/work-store.ts";
import { currentRelease } from "../features/release/current-symlink.ts";
import type { Config } from "../platform/config.ts";
import { openDatabase } from "../platform/db/connect.ts";
import { migrate } from "../platform/db/migrate.ts";
import { lockState } from "../platform/lock.ts";
import type { InstancePaths } from "../platform/paths.ts";

/** What a site has to do now and later, also while none of its processes runs. */
export async function readSiteWork(
  config: Config,
  { now, soonMs }: { now: number; soonMs: number },
): Promise<SiteWork> {
  const { paths, databaseUrl: url, qa } = config;
  const database = openDatabase({ url, file: paths.database });
  try {
    const release = await currentRelease(paths);
    const options = { now, soonMs, release, qaMinutes: qa.intervalMinutes };
    return await findSiteWork(database.db, options);
  } finally {
    await database.close();
  }
}

/** Whether a runner of an instance lives here, however it was started. */
export async function hasRunner({ runners }: Pick<InstancePaths, "runners">): Promise<boolean> {
  const names = await readdir(runners).catch(() => []);
  return names.some((name) => lockState(join(runners, name)) === "held");
}

/** Brings a site's database to this program's schema: an upgrade doesn't touch sites that sleep. */
export async function migrateSite(config: Config, now: number): Promise<string[]> {
  const { paths, databaseUrl: url } = config;
  const database = openDatabase({ url, file: paths.database });
  try {
    return (await migrate({ database, now })).applied;
  } finally {
    await database.close();
  }
}
