import { dirname } from "node:path";
import { openSiteRegistry, type SiteRegistry } from "../features/sites/registry.ts";
import type { Clock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import { isoTime } from "../kit/time.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";

/** Opens the registry of an installed instance. Throws for a further site, which has none below it. */
export function openRegistryOf(config: Config, clock: Clock): Promise<SiteRegistry> {
  const { paths, databaseUrl, baseUrl, site, storage } = config;
  if (storage !== null) {
    const message = "An installation of several nodes (STORAGE_URL) can't have further sites.";
    throw new AppError("bad_request", message);
  }
  if (site !== null) {
    const message = `${config.dir} is a further site. Name the installation around it with --dir.`;
    throw new AppError("bad_request", message);
  }
  const ownHost = new URL(baseUrl).hostname;
  return openSiteRegistry({ paths, databaseUrl, clock, ownHost });
}

/** Has a site woken that a command has changed, because the command may have left it something to do. */
export async function wakeChangedSite(
  config: Config,
  { env, clock }: { env: Environment; clock: Clock },
): Promise<void> {
  if (config.site === null || config.installation.dir === config.dir) return;
  const around = loadConfig({ ...env, VITRINE_DIR: dirname(dirname(config.dir)) });
  const registry = await openRegistryOf(around, clock);
  try {
    await registry.wakeAt(config.site.id, isoTime(clock.now()));
  } finally {
    await registry.close();
  }
}
