import { join, resolve } from "node:path";
import { backUp } from "../features/backup/backup.ts";
import type { BackupHead } from "../features/backup/manifest.ts";
import { restore } from "../features/backup/restore.ts";
import { makeCopyRecords } from "../features/database-move/copy-records.ts";
import { assertInstalled } from "../features/install/lock.ts";
import type { SiteOperations } from "../features/sites/cli.ts";
import { normalizeDomain } from "../features/sites/domain.ts";
import { AppError } from "../kit/errors.ts";
import { isoTime } from "../kit/time.ts";
import { newUlid } from "../kit/ulid.ts";
import { loadConfig } from "../platform/config.ts";
import { inSchema, siteSchema } from "../platform/db/schema-address.ts";
import { exists, removeTree, writeFileAtomic } from "../platform/files.ts";
import { siteConfig } from "./launch-site.ts";
import { copyPaths, deleteMovedAway, moveAway, readMark } from "./site-copy-files.ts";
import { siteEnvironment } from "./site-environment.ts";
import {
  addressOf,
  alone,
  type Installation,
  listAwake,
  openInstallation,
  qaAddress,
  readSettings,
  removeRecords,
  removeUnfinished,
  requestRebuild,
  shareSite,
  waitUntilStopped,
} from "./site-installation.ts";

export function exportTo({
  config,
  env,
  registry,
  copies,
  ...deps
}: Installation): SiteOperations["exportTo"] {
  return async (id, file, { force }) => {
    await registry.get(id);
    await copies?.ensure(id);
    await copies?.noteUse(id);
    // One that is awake follows the other nodes itself.
    const isAwake = (await listAwake(config))?.includes(id) ?? false;
    if (!isAwake) await copies?.follow(id, { isComplete: true });
    const { version, clock, signal, onProgress } = deps;
    const own = { version, clock, signal, onProgress };
    return backUp({ config: siteConfig(env, config, id), to: file, force, ...own });
  };
}

/** Settings of an instance that are about its own port, or the installation around it. */
const instanceSettings = new Set([
  "host",
  "port",
  "runnerPort",
  "metrics",
  "trustProxy",
  "trustedIps",
  "sites",
]);

interface AdaptedBackup {
  id: string;
  domain: string | undefined;
  tree: string;
  head: BackupHead;
}

/** Makes an unpacked backup a further site. Gives its address, and whether that is another one. */
async function adaptBackup(
  installation: Installation,
  { id, domain, tree, head }: AdaptedBackup,
): Promise<{ baseUrl: string; isOther: boolean }> {
  const file = join(tree, "vitrine.json");
  const settings = await readSettings(file);
  const before = loadConfig({ VITRINE_DIR: tree });
  // A dump names its schema; the records of SQLite go into any.
  if (head.database === "postgres" && before.site?.id !== id) {
    const name = before.site?.id;
    const message =
      name === undefined
        ? "Of backups with PostgreSQL, only those of further sites can be imported."
        : `With PostgreSQL, a site keeps its name: import it as “${name}”.`;
    throw new AppError("bad_request", message);
  }
  const baseUrl =
    domain === undefined ? before.baseUrl : addressOf(installation, normalizeDomain(domain));
  const kept = Object.entries(settings).filter(([key]) => !instanceSettings.has(key));
  const address = qaAddress(installation, baseUrl);
  const qa = { ...(settings["qa"] as object | undefined), address };
  const adapted = { ...Object.fromEntries(kept), baseUrl, site: { id }, qa };
  await writeFileAtomic(file, `${JSON.stringify(adapted, null, 2)}\n`);
  return { baseUrl, isOther: baseUrl !== before.baseUrl };
}

/** Removes what a failed command has made, unless another one has reserved the name since. */
async function cancel(
  installation: Installation,
  id: string,
  reservation: string | null,
): Promise<void> {
  const { config, registry, log } = installation;
  const paths = copyPaths(config.paths.sites, id);
  try {
    // A folder with a mark is this node's copy of the other command's site.
    if ((await readMark(paths)) === null) await removeTree(paths.dir);
    await removeUnfinished(installation, id, reservation);
    if (reservation !== null) await registry.remove(id, reservation);
  } catch (error) {
    log.warn({ err: error, site: id }, "couldn't remove what a failed import has left");
  }
}

export function importFrom(installation: Installation): SiteOperations["importFrom"] {
  const { config, env, clock, signal, registry, onProgress } = installation;
  return (file, { id, domain }) =>
    alone(installation, id, async () => {
      let reservation = await registry.findReservation(id);
      await removeUnfinished(installation, id, reservation);
      const url = env["DATABASE_URL"] || null;
      const databaseUrl = url === null ? null : inSchema(url, siteSchema(id));
      let adapted = { baseUrl: "", isOther: false };
      try {
        await restore({
          file: resolve(file),
          dir: join(config.paths.sites, id),
          databaseUrl,
          postgresAdvice: "Import it into an installation with PostgreSQL.",
          env: siteEnvironment(env, config, id),
          clock,
          signal,
          onProgress,
          copyRecords: makeCopyRecords(clock),
          async adapt(tree, head) {
            adapted = await adaptBackup(installation, { id, domain, tree, head });
            const name = new URL(adapted.baseUrl).hostname;
            const { baseUrl } = adapted;
            ({ reservation } = await registry.reserve({ id, domain: name, baseUrl }));
          },
        });
        const reason = "The site's address has changed";
        if (adapted.isOther)
          await requestRebuild(installation, siteConfig(env, config, id), reason);
        await shareSite(installation, id, reservation);
      } catch (error) {
        await cancel(installation, id, reservation);
        throw error;
      }
      const site = await registry.activate(id, reservation);
      // It may have something to do, such as the rebuild.
      await registry.wakeAt(id, isoTime(clock.now()));
      return site;
    });
}

/** Suspends a site that moves; it comes back if the move fails. */
export function move(installation: Installation): SiteOperations["move"] {
  const { config, env, registry, clock } = installation;
  return async (id, given) => {
    const dir = resolve(given);
    if (config.databaseUrl !== null) {
      const message =
        "With PostgreSQL, use `vitrine site export`, and `vitrine site import` where the site goes.";
      throw new AppError("bad_request", message);
    }
    if (dir === config.dir) throw new AppError("bad_request", "The site is there already.");
    const before = await registry.get(id);
    const targetEnv = { ...env, VITRINE_DIR: dir };
    await assertInstalled(loadConfig(targetEnv).paths);
    const from = await registry.suspend(id, dir);
    const file = join(dir, "data", `.moving-${id}-${newUlid(clock.now())}.tar.gz`);
    try {
      await waitUntilStopped(installation, id);
      await exportTo(installation)(id, file, { force: true });
      const there = await openInstallation({ ...installation, env: targetEnv });
      try {
        return { site: await importFrom(there)(file, { id, domain: undefined }), from };
      } finally {
        await there.registry.close();
      }
    } catch (error) {
      if (before.status === "active") await registry.resume(id);
      throw error;
    } finally {
      await removeTree(file);
    }
  };
}

export function remove(installation: Installation): SiteOperations["remove"] {
  const { config, registry, copies, onProgress } = installation;
  const { sites } = config.paths;
  return (id) =>
    alone(installation, id, async () => {
      const site = await registry.get(id);
      onProgress(`Stopping the site “${id}”`);
      const folder = join(sites, id);
      // A command that has lost the lock in the meantime removes nothing of a site that is there again.
      const reservation = await registry.beginRemoval(id);
      if (site.status === "creating") await removeUnfinished(installation, id, reservation);
      else {
        // Without it, nothing runs here, and an interrupted removal continues.
        if (copies !== null || (await exists(folder))) await waitUntilStopped(installation, id);
      }
      onProgress("Deleting its files and records");
      // From here on, nothing of it can be started.
      await moveAway(sites, id);
      await removeRecords(installation, id, reservation);
      await deleteMovedAway(sites, id);
      await registry.remove(id, reservation);
    });
}
