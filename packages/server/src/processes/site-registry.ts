import { dirname } from "node:path";
import type { KeyringStore } from "../features/settings/keys/rotation.ts";
import { openSiteRegistry, type SiteRegistry } from "../features/sites/registry.ts";
import type { Clock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import { isoTime } from "../kit/time.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";
import { readKeyring } from "../platform/secrets.ts";
import { makeSiteCopies, type SiteCopies, type SiteCopiesDependencies } from "./site-copies.ts";

/** Opens the registry of an installed instance. Throws for a further site, which has none below it. */
export function openRegistryOf(config: Config, clock: Clock): Promise<SiteRegistry> {
  const { paths, databaseUrl, baseUrl, site } = config;
  if (site !== null) {
    const message = `${config.dir} is a further site. Name the installation around it with --dir.`;
    throw new AppError("bad_request", message);
  }
  const ownHost = new URL(baseUrl).hostname;
  return openSiteRegistry({ paths, databaseUrl, clock, ownHost });
}

/** Opens this node's copies of the sites in a registry; null if the installation is on one disk. */
export function openCopiesOf(
  config: Config,
  { nodes }: SiteRegistry,
  deps: Pick<SiteCopiesDependencies, "env" | "clock" | "log">,
): SiteCopies | null {
  return config.storage === null ? null : makeSiteCopies({ ...deps, config, nodes });
}

/** Has a copy of a site on this node, if that is what commands for it need. */
export async function ensureCopy(
  env: Environment,
  id: string,
  { clock, log }: { clock: Clock; log: Log },
): Promise<void> {
  const config = loadConfig(env);
  if (config.storage === null || config.site !== null) return;
  const registry = await openRegistryOf(config, clock);
  try {
    await registry.get(id);
    const copies = openCopiesOf(config, registry, { env, clock, log });
    if (await copies?.ensure(id)) await registry.restart(id);
    await copies?.noteUse(id);
  } finally {
    await registry.close();
  }
}

/** The folder of the installation that a site's configuration belongs to; null for an installation's own site. */
function installationDir(config: Config): string | null {
  if (config.site === null || config.installation.dir === config.dir) return null;
  return dirname(dirname(config.dir));
}

/** Opens the keys of a further site that all nodes share; null if they are only in its folder. */
export async function openSharedKeyring(
  config: Config,
  { env: ownEnv, clock, log }: { env: Environment; clock: Clock; log: Log },
): Promise<(KeyringStore & { close(): Promise<void> }) | null> {
  const dir = installationDir(config);
  const id = config.site?.id;
  if (dir === null || id === undefined || config.storage === null) return null;
  const env = { ...ownEnv, VITRINE_DIR: dir };
  const around = loadConfig(env);
  const registry = await openRegistryOf(around, clock);
  const copies = openCopiesOf(around, registry, { env, clock, log });
  if (copies === null) {
    await registry.close();
    return null;
  }
  return {
    async read() {
      if (await copies.ensure(id)) await registry.restart(id);
      return readKeyring(config.paths.keys);
    },
    async write(ring) {
      if (await copies.replaceKeyring(id, ring)) await registry.restart(id);
    },
    close: () => registry.close(),
  };
}

/** Has a site woken that a command has changed, because the command may have left it something to do. */
export async function wakeChangedSite(
  config: Config,
  { env: ownEnv, clock, log }: { env: Environment; clock: Clock; log: Log },
): Promise<void> {
  const dir = installationDir(config);
  if (dir === null || config.site === null) return;
  const { id } = config.site;
  const env = { ...ownEnv, VITRINE_DIR: dir };
  const around = loadConfig(env);
  const registry = await openRegistryOf(around, clock);
  try {
    const copies = openCopiesOf(around, registry, { env, clock, log });
    // Keys or settings that the command has changed: all processes of the site have to have them.
    if (await copies?.ensure(id)) await registry.restart(id);
    await registry.wakeAt(id, isoTime(clock.now()));
  } finally {
    await registry.close();
  }
}
