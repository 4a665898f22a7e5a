import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { checkAnswers } from "../features/install/steps.ts";
import type { ShownSite, SiteOperations } from "../features/sites/cli.ts";
import { normalizeDomain } from "../features/sites/domain.ts";
import { assertSiteId } from "../features/sites/site-name.ts";
import type { SiteUsage } from "../features/sites/usage.ts";
import { mapConcurrently } from "../kit/concurrency.ts";
import { parseJson } from "../kit/json.ts";
import { isoTime } from "../kit/time.ts";
import { diskUsage } from "../platform/disk-usage.ts";
import { installInstance, releaseStepName } from "./installer.ts";
import { siteConfig } from "./launch-site.ts";
import { createFirstLink } from "./quick-start.ts";
import { siteEnvironment } from "./site-environment.ts";
import {
  addressOf,
  alone,
  changeSettings,
  defaultDomain,
  type Installation,
  listAwake,
  openInstallation,
  qaAddress,
  removeUnfinished,
  requestRebuild,
  type Settings,
  shareSite,
  type SiteOperationsDependencies,
} from "./site-installation.ts";
import { exportTo, importFrom, move, remove } from "./site-transfers.ts";

/** A further site is checked once a day, and preloads no builders: there may be many of it. */
const qaMinutes = 1440;

/** What vitrine.json of a further site says besides its owner. */
function siteSettings(
  installation: Installation,
  { id, baseUrl, diskMiB }: { id: string; baseUrl: string; diskMiB: number | undefined },
): Record<string, unknown> {
  return {
    site: { id },
    qa: { intervalMinutes: qaMinutes, address: qaAddress(installation, baseUrl) },
    limits: { build: { warm: false }, ...(diskMiB === undefined ? {} : { diskMiB }) },
  };
}

function create(installation: Installation): SiteOperations["create"] {
  const { config, env, log, registry, onProgress } = installation;
  return ({ id, domain: given, ownerName = "Mara Lindqvist", timeZone, diskMiB }) =>
    alone(installation, id, async () => {
      // Before anything else is checked: callers check the name first.
      await registry.findReservation(id);
      const domain = normalizeDomain(given ?? defaultDomain(installation, id));
      const baseUrl = addressOf(installation, domain);
      const settings = siteSettings(installation, { id, baseUrl, diskMiB });
      const zone = timeZone ?? config.owner.timeZone;
      const answers = { ownerName, baseUrl, timeZone: zone, settings };
      checkAnswers(answers);
      const { reservation } = await registry.reserve({ id, domain, baseUrl });
      await removeUnfinished(installation, id, reservation);
      onProgress(`Installing the site “${id}”`);
      await installInstance(siteEnvironment(env, config, id), answers, {
        log,
        onStep: (name) => name === releaseStepName && onProgress("Building its pages"),
      });
      await shareSite(installation, id, reservation);
      const link = await createFirstLink(siteConfig(env, config, id));
      return { site: await registry.activate(id, reservation), link };
    });
}

/** The names of the sites that have processes, on any node; null if nothing runs that knows. */
async function findAwake({
  config,
  registry,
  copies,
}: Installation): Promise<ReadonlySet<string> | null> {
  const here = await listAwake(config);
  if (copies === null) return here && new Set(here);
  const awake = await registry.nodes.listAwake();
  return new Set([...(here ?? []), ...awake.map(({ siteId }) => siteId)]);
}

/** The names of the sites that all nodes can have; null if the installation is on one disk. */
async function findShared({ registry, copies }: Installation): Promise<ReadonlySet<string> | null> {
  return copies && new Set(await registry.nodes.listShared());
}

/** A site's disk limit in MiB. */
async function readDiskLimit(installation: Installation, id: string): Promise<number | null> {
  const { config, env, registry, copies } = installation;
  const copy = copies && (await registry.nodes.find(id));
  if (!copy) return siteConfig(env, config, id).limits.diskMiB;
  const schema = z.object({ limits: z.object({ diskMiB: z.number().nullable() }) });
  return schema.safeParse(parseJson(copy.settings)).data?.limits.diskMiB ?? null;
}

function show(installation: Installation): SiteOperations["show"] {
  const { config, registry } = installation;
  return async (id) => {
    const site = await registry.get(id);
    const isThere = site.status !== "creating";
    const awake = await findAwake(installation);
    const shared = await findShared(installation);
    return {
      ...site,
      isShared: shared?.has(id) ?? null,
      isAwake: awake?.has(id) ?? null,
      diskBytes: await diskUsage(join(config.paths.sites, id)),
      diskMiB: isThere ? await readDiskLimit(installation, id) : null,
    };
  };
}

/** What one site uses; null if it isn't there, or its configuration can't be read. */
async function readUsage({ config, env }: Installation, id: string): Promise<SiteUsage | null> {
  assertSiteId(id);
  const dir = join(config.paths.sites, id);
  try {
    const { limits, paths } = siteConfig(env, config, id);
    // The sockets of its processes are made there when they start, and removed when they end.
    const { mtimeMs } = await stat(paths.data);
    const diskBytes = await diskUsage(dir);
    return { id, diskBytes, diskMiB: limits.diskMiB, activeAt: isoTime(mtimeMs) };
  } catch {
    return null;
  }
}

async function list(installation: Installation): Promise<ShownSite[]> {
  const { registry } = installation;
  const awake = await findAwake(installation);
  const shared = await findShared(installation);
  const sites = await registry.list();
  return sites.map((site) =>
    Object.assign(site, {
      isAwake: awake?.has(site.id) ?? null,
      isShared: shared?.has(site.id) ?? null,
    }),
  );
}

function setMainDomain(installation: Installation): SiteOperations["setMainDomain"] {
  const { registry } = installation;
  return async (id, given) => {
    const domain = normalizeDomain(given);
    // Claimed before anything says that it is the site's.
    await registry.addDomain(id, domain);
    const baseUrl = addressOf(installation, domain);
    const change = (settings: Settings) => ({
      ...settings,
      baseUrl,
      qa: { ...(settings["qa"] as object), address: qaAddress(installation, baseUrl) },
    });
    return changeSettings(installation, id, change, async (site) => {
      await requestRebuild(installation, site, "The site's address has changed");
      return registry.setBaseUrl(id, baseUrl);
    });
  };
}

function setDiskLimit(installation: Installation): SiteOperations["setDiskLimit"] {
  const { registry } = installation;
  return async (id, diskMiB) => {
    await registry.get(id);
    const change = (settings: Settings) => ({
      ...settings,
      limits: { ...(settings["limits"] as object), diskMiB },
    });
    await changeSettings(installation, id, change, () => registry.restart(id));
    return { id, diskMiB };
  };
}

function makeOperations(installation: Installation): SiteOperations {
  const { registry } = installation;
  return {
    create: create(installation),
    list: () => list(installation),
    show: show(installation),
    suspend: (id) => registry.suspend(id),
    resume: (id) => registry.resume(id),
    addDomain: (id, domain) => registry.addDomain(id, domain),
    setMainDomain: setMainDomain(installation),
    removeDomain: (id, domain) => registry.removeDomain(id, domain),
    setDiskLimit: setDiskLimit(installation),
    // One after the other, because each reads the sizes of thousands of files.
    usage: (ids) => mapConcurrently(ids, 1, (id) => readUsage(installation, id)),
    exportTo: exportTo(installation),
    importFrom: importFrom(installation),
    move: move(installation),
    remove: remove(installation),
  };
}

/** Calls `work` with the operations on the further sites of the installation in `deps.env`. */
export async function withSiteOperations<T>(
  deps: SiteOperationsDependencies,
  work: (sites: SiteOperations) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation(deps);
  try {
    return await work(makeOperations(installation));
  } finally {
    await installation.registry.close();
  }
}
