import { mkdir } from "node:fs/promises";
import { hasFurtherSites } from "../features/sites/copy-store.ts";
import { exists } from "../platform/files.ts";
import type { Instance } from "./instance.ts";
import { repeat, type RepeatingTask } from "./repeat.ts";

const everyMs = 2000;

/**
 * Makes the folder for further sites once another node has created the first one: with it, this node
 * starts what serves them.
 */
export function watchForFirstSite({ config, database, log, shared }: Instance): RepeatingTask {
  if (shared === null || config.site !== null) return { start() {}, async close() {} };
  const { sites } = config.paths;
  const look = async () => {
    if (await exists(sites)) return;
    if (await hasFurtherSites(database.db)) await mkdir(sites, { recursive: true, mode: 0o700 });
  };
  const onError = (error: unknown) =>
    log.warn({ err: error }, "further sites can't be looked up; will try again");
  return repeat(look, { everyMs, runImmediately: true, onError });
}
