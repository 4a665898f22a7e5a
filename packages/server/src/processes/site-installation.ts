import { mkdir, readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { assertInstalled } from "../features/install/lock.ts";
import type { SiteRegistry } from "../features/sites/registry.ts";
import { assertSiteId } from "../features/sites/site-name.ts";
import type { Clock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import { parseJson } from "../kit/json.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db/connect.ts";
import { dropPostgresSchema } from "../platform/db/drop-schema.ts";
import { siteSchema } from "../platform/db/schema-address.ts";
import { removeTree, writeFileAtomic } from "../platform/files.ts";
import { acquireLock, openLock, type ProcessLock } from "../platform/lock.ts";
import type { Log } from "../platform/log.ts";
import { instancePaths } from "../platform/paths.ts";
import { leaseMs } from "./awake-sites.ts";
import { siteConfig } from "./launch-site.ts";
import { makeRebuildRequester } from "./request-rebuild.ts";
import { openCopiesOf, openRegistryOf } from "./site-registry.ts";
import type { SiteCopies } from "./site-copies.ts";
import { hasRunner } from "./site-work.ts";
import { makeSitesClient } from "./sites-client.ts";

export interface SiteOperationsDependencies {
  /** The environment of a command, with the installation as VITRINE_DIR. */
  env: Environment;
  clock: Clock;
  log: Log;
  version: string;
  signal: AbortSignal;
  onProgress(line: string): void;
}

/** An installation, with its registry of further sites. */
export interface Installation extends SiteOperationsDependencies {
  config: Config;
  registry: SiteRegistry;
  /** This node's copies of the sites; null if the installation is on one disk. */
  copies: SiteCopies | null;
}

/** Opens the installation in `deps.env`. The caller closes its registry. */
export async function openInstallation(deps: SiteOperationsDependencies): Promise<Installation> {
  const { env, clock, log } = deps;
  const config = loadConfig(env);
  await assertInstalled(config.paths);
  const registry = await openRegistryOf(config, clock);
  const copies = openCopiesOf(config, registry, { env, clock, log });
  return { ...deps, config, registry, copies };
}

/** How long the processes of a suspended site may take to end, in ms; on another node, which may be lost. */
const stopTimeoutMs = 30_000;
const nodeTimeoutMs = leaseMs + stopTimeoutMs;
const pollMs = 100;
/** How long a change of a site's settings waits for others, in ms. */
const settingsWaitMs = 20_000;

const jsonObject = z.record(z.string(), z.unknown());

export async function readSettings(file: string): Promise<Settings> {
  return jsonObject.parse(parseJson(await readFile(file, "utf8")));
}

export type Settings = Record<string, unknown>;

/** Replaces a vitrine.json. */
async function writeSettings(file: string, settings: Settings): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify(settings, null, 2)}\n`);
}

/**
 * Changes the vitrine.json of a site for all nodes, then calls `finish`; other changes wait. `change` has to
 * be idempotent. Throws `conflict` if the file has been changed on another node since.
 */
export async function changeSettings<T>(
  { config, env, registry, copies }: Pick<Installation, "config" | "env" | "registry" | "copies">,
  id: string,
  change: (settings: Settings) => Settings,
  finish: (site: Config) => Promise<T>,
): Promise<T> {
  const here = openLock(join(config.paths.data, "site-settings", `${id}.lock`));
  const lock = copies === null ? here : registry.nodes.lock(`settings of site ${id}`, here);
  const work = async () => {
    await copies?.ensure(id);
    await copies?.noteUse(id);
    const site = siteConfig(env, config, id);
    const { configFile } = site.paths;
    await writeSettings(configFile, change(await readSettings(configFile)));
    await copies?.ensure(id);
    const now = await readSettings(configFile);
    if (isDeepStrictEqual(change(now), now)) return finish(site);
    const message = `The settings of the site “${id}” have just been changed on another node. Try again.`;
    throw new AppError("conflict", message);
  };
  try {
    return await lock.run(work, { waitMs: settingsWaitMs });
  } finally {
    lock.close();
  }
}

/** The sites that have processes; null if nothing runs that knows. */
export async function listAwake({ paths, port }: Config): Promise<string[] | null> {
  const client = makeSitesClient(join(paths.data, `sites-${port}.sock`), { waitMs: 0 });
  try {
    return await client.listAwake();
  } catch {
    return null;
  } finally {
    client.close();
  }
}

/** Waits until nothing of a suspended site runs. Throws `in_use` if that takes too long. */
export async function waitUntilStopped(
  { config, clock, registry, copies }: Installation,
  id: string,
): Promise<void> {
  const deadline = clock.monotonic() + (copies === null ? stopTimeoutMs : nodeTimeoutMs);
  const isElsewhere = async () =>
    copies !== null && (await registry.nodes.listAwake()).some(({ siteId }) => siteId === id);
  const isRunning = async () =>
    (await listAwake(config))?.includes(id) === true ||
    (await hasRunner(instancePaths(join(config.paths.sites, id)))) ||
    (await isElsewhere());
  while (await isRunning()) {
    if (clock.monotonic() > deadline) {
      const message = `The processes of the site “${id}” don't end. Stop Vitrine and try again.`;
      throw new AppError("in_use", message);
    }
    await delay(pollMs);
  }
}

/** Runs `work` as the only command, on any node, that creates, moves, or removes the site. */
export async function alone<T>(
  { config, registry, copies }: Installation,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  assertSiteId(id);
  await mkdir(config.paths.sites, { recursive: true, mode: 0o700 });
  const lock = acquireLock(join(config.paths.sites, `.${id}.lock`));
  if (lock === null) throw new AppError("locked", `Another command works on the site “${id}”.`);
  const here: ProcessLock = { run: (task) => task(), close() {} };
  const everywhere = copies === null ? here : registry.nodes.lock(`site ${id}`, here);
  try {
    return await everywhere.run(work, { waitMs: 0 });
  } finally {
    lock.release();
  }
}

/** The address of a site with this domain: with the scheme and the port of the installation's own. */
export function addressOf({ config }: Installation, domain: string): string {
  const { protocol, port } = new URL(config.baseUrl);
  return `${protocol}//${domain}${port === "" ? "" : `:${port}`}`;
}

export function defaultDomain({ config }: Installation, id: string): string {
  const { hostname } = new URL(config.baseUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) === 0) return `${id}.${hostname}`;
  const message = "The installation has no domain of its own. Choose a domain for the site.";
  throw new AppError("validation_failed", message, { fields: { domain: "is missing" } });
}

/** How a runner reaches a site of this machine that no name server knows. */
export function qaAddress({ config }: Installation, baseUrl: string): string | null {
  const { protocol, hostname } = new URL(baseUrl);
  const { address } = config.qa;
  if (address !== null) return new URL(address).protocol === protocol ? address : null;
  return hostname.endsWith(".localhost") ? `http://127.0.0.1:${config.port}` : null;
}

/** Deletes everything of a site in PostgreSQL, if that is what the installation uses. */
async function dropSiteSchema(env: Environment, id: string): Promise<void> {
  const url = env["DATABASE_URL"] || null;
  if (url !== null) await dropPostgresSchema(url, siteSchema(id));
}

/** Deletes the records of a site; of one that nodes share, the objects follow. */
export async function removeRecords(
  { env, registry, copies }: Installation,
  id: string,
  reservation?: string | null,
): Promise<void> {
  if (copies === null) await dropSiteSchema(env, id);
  else await registry.nodes.discard(id, reservation);
}

/**
 * Removes what an unfinished command has left of a site that nobody could use yet. Throws `conflict` if a
 * reservation is given and another command has reserved the name since.
 */
export async function removeUnfinished(
  installation: Installation,
  id: string,
  reservation?: string | null,
): Promise<void> {
  await removeRecords(installation, id, reservation);
  await removeTree(join(installation.config.paths.sites, id));
}

/** Has other nodes have a site that was made here. */
export async function shareSite(
  { registry, copies, onProgress }: Installation,
  id: string,
  reservation: string | null,
): Promise<void> {
  if (copies === null) return;
  onProgress("Storing the site for the other nodes");
  await copies.share(id, await registry.nodes.begin(id, reservation));
}

/** Has a site built again, although none of its processes runs. */
export async function requestRebuild({ clock }: Installation, site: Config, reason: string) {
  const { databaseUrl: url, paths } = site;
  const database = openDatabase({ url, file: paths.database });
  try {
    await makeRebuildRequester({ clock })(database.db, reason);
  } finally {
    await database.close();
  }
}
