import { hostname } from "node:os";
import { currentRelease } from "../features/release/current-symlink.ts";
import type { SiteRegistry } from "../features/sites/registry.ts";
import type { Clock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import type { Config, Environment } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";
import { makeReleaseFollower } from "./follow-site-releases.ts";
import { repeat } from "./repeat.ts";
import { makeFailureLog, makeSiteWork, notReady } from "./shared-site-work.ts";
import { makeSiteCopies } from "./site-copies.ts";
import { copyPaths, listFolders } from "./site-copy-files.ts";
import { openSiteRemovals } from "./site-removals.ts";
import { openUnusedCopies } from "./unused-copies.ts";

export interface FollowSitesDependencies {
  /** That of the installation. */
  config: Config;
  env: Environment;
  registry: SiteRegistry;
  clock: Clock;
  log: Log;
  /** The sites that have processes here, which follow other nodes themselves. */
  listAwake(): string[];
  /** Has the front ask again before it serves a site's files. */
  askAgain(site: { id: string; domains: string[] }): void;
}

/** What one node does so that further sites are the same on all nodes. */
export interface FollowedSites {
  /**
   * Makes sure that there is a copy of an active site for processes that are about to start. Returns when
   * the site had last changed before that. Throws `unavailable` if that takes too long.
   */
  ensure(id: string): Promise<string>;
  /** The same for a request for its pages, with the release that is live now. */
  prepare(id: string): Promise<void>;
  /** Has copies checked again before they are used; null: all. */
  forget(ids: readonly string[] | null): void;
  /** Brings copies up to date with the registry; null: all. No processes of them may run. */
  refresh(ids: readonly string[] | null): Promise<void>;
  /** Notes that a site has processes here, for `leaseMs`. */
  noteAwake(id: string, leaseMs: number): Promise<void>;
  noteAsleep(id: string): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** How long a request waits for a site's copy, and for its newest release, in ms. */
const installWaitMs = 25_000;
const releaseWaitMs = 4000;
const resealMs = 60_000;
/** How often a copy is checked again because the site has changed since the check began. */
const maxChecks = 3;

/** Waits for work that continues anyway; throws `unavailable` after so long. */
async function waitFor<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(notReady()), ms);
  work.catch(() => {});
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The name of this node among those of the installation. */
export const nodeName = ({ dir }: Pick<Config, "dir">) => `${hostname()}:${dir}`;

/** Keeps this node's copies of further sites up to date; null if the installation is on one disk. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function openFollowedSites(deps: FollowSitesDependencies): FollowedSites | null {
  const { config, registry, log } = deps;
  const { databaseUrl, storage, paths } = config;
  if (storage === null || databaseUrl === null) return null;
  const node = nodeName(config);
  const copies = makeSiteCopies({ ...deps, nodes: registry.nodes });
  const known = new Set<string>();
  /** Those that haven't changed since they were checked. */
  const verified = new Set<string>();
  /** Changes with each `forget`: checks that began before it aren't remembered. */
  let generation = 0;
  const releases = makeReleaseFollower({ ...deps, databaseUrl, copies, known });
  const removals = openSiteRemovals({ ...deps, storage, databaseUrl });
  const failures = makeFailureLog(log);
  const forgetOne = (id: string) => {
    generation += 1;
    for (const set of [known, verified]) set.delete(id);
  };
  const unused = openUnusedCopies({ ...deps, copies, onRemove: forgetOne });
  const adoptions = makeFailureLog(log, "the folder of a site isn't stored for other nodes yet");
  let starting = Promise.resolve();
  async function check(id: string): Promise<void> {
    const began = generation;
    try {
      // Processes of the site have to start again with what was changed here.
      if (await copies.ensure(id)) await registry.restart(id);
      known.add(id);
      if (began === generation) verified.add(id);
      failures.clear(id);
    } catch (error) {
      throw failures.add(id, error);
    }
  }

  const ensureOne = makeSiteWork(check);
  const lastChange = async (id: string) => (await registry.findRouteById(id))?.changedAt ?? "";

  async function ensureLatest(id: string): Promise<string> {
    for (let attempt = 0; attempt < maxChecks; attempt += 1) {
      const changedAt = await lastChange(id);
      // A check that others wait for may have begun before the last change.
      await check(id);
      if ((await lastChange(id)) === changedAt) return changedAt;
    }
    throw notReady();
  }

  async function refreshOne(id: string): Promise<void> {
    const site = await registry.findRouteById(id);
    const incarnation = (await registry.nodes.find(id))?.incarnation;
    // Sites that are incomplete, or not completely removed, are checked again later.
    if (site !== null && incarnation === undefined) return;
    const wasHere = known.has(id);
    if (await copies.removeOther(id, site && (incarnation ?? null))) {
      known.delete(id);
      log.info({ site: id }, "removed the copy of a site that was removed");
    }
    if (site?.status === "active" && wasHere) await ensureOne(id);
  }

  async function refresh(ids: readonly string[] | null): Promise<void> {
    for (const id of ids ?? known) {
      await refreshOne(id).catch((error: unknown) => {
        log.error({ err: error, site: id }, "the copy of a site can't be brought up to date");
      });
    }
  }

  async function adoptOne(id: string): Promise<void> {
    const site = await registry.findRouteById(id);
    if (site === null) {
      const { dir } = copyPaths(paths.sites, id);
      const message = `There is no site called “${id}”: ${dir} belongs to no site, or to a removed one. Delete it if you don't need it.`;
      throw new AppError("not_found", message);
    }
    if (site.status !== "creating") await copies.adopt(id);
  }

  /** Gives other nodes what was here before there were any. */
  async function adoptAll(): Promise<void> {
    for (const id of (await listFolders(paths.sites)).others) {
      try {
        await adoptOne(id);
        adoptions.clear(id);
      } catch (error) {
        // The others don't wait for one that can't be stored.
        adoptions.add(id, error);
      }
    }
  }

  const onError = (error: unknown) =>
    log.warn({ err: error }, "couldn't bring further sites up to date; will try again");
  const tasks = [
    repeat(adoptAll, { everyMs: 60_000, runImmediately: true, onError }),
    repeat(() => copies.reseal(), { everyMs: resealMs, runImmediately: true, onError }),
    removals,
    unused,
  ];

  return {
    async ensure(id) {
      const changedAt = await waitFor(ensureLatest(id), installWaitMs);
      await copies.noteUse(id);
      return changedAt;
    },
    async prepare(id) {
      await copies.noteUse(id);
      if (!verified.has(id)) await waitFor(ensureOne(id), installWaitMs);
      const hasRelease = (await currentRelease(copyPaths(paths.sites, id))) !== null;
      try {
        await waitFor(releases.follow(id), hasRelease ? releaseWaitMs : installWaitMs);
      } catch (error) {
        // What was live a moment ago is better than nothing.
        if (!hasRelease) throw error;
      }
    },
    forget(ids) {
      generation += 1;
      if (ids === null) verified.clear();
      for (const id of ids ?? []) verified.delete(id);
    },
    refresh,
    // A site that has processes is used, also if its pages are answered from memory.
    async noteAwake(id, leaseMs) {
      await copies.noteUse(id);
      await registry.nodes.noteAwake(id, node, leaseMs);
    },
    async noteAsleep(id) {
      await copies.noteUse(id);
      await registry.nodes.forgetAwake(node, id);
    },
    async start() {
      // What a killed process of this node has left.
      await registry.nodes.forgetAwake(node);
      for (const id of (await listFolders(paths.sites)).copies) known.add(id);
      // Runs in the background: copies are checked when they are requested.
      starting = refresh(null);
      releases.start();
      for (const task of tasks) task.start();
    },
    async close() {
      await Promise.all([starting, ...tasks.map((task) => task.close())]);
      await releases.close();
    },
  };
}
