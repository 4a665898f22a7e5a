import { hostname } from "node:os";
import { currentRelease } from "../features/release/current-symlink.ts";
import type { SiteRegistry } from "../features/sites/registry.ts";
import { newestReleases } from "../features/storage/release-store.ts";
import { changeMessage } from "../features/storage/shared-storage.ts";
import { makeSemaphore } from "../kit/concurrency.ts";
import { AppError } from "../kit/errors.ts";
import type { Clock } from "../kit/clock.ts";
import type { Config, Environment } from "../platform/config.ts";
import { openDatabase } from "../platform/db/connect.ts";
import { listenToSchemas, type Notifications } from "../platform/db/notifications.ts";
import { siteSchema } from "../platform/db/schema-address.ts";
import type { Log } from "../platform/log.ts";
import { repeat } from "./repeat.ts";
import { makeSiteCopies, type SiteCopies } from "./site-copies.ts";
import { copyPaths, listFolders } from "./site-copy-files.ts";
import { openSiteRemovals } from "./site-removals.ts";

export interface FollowSitesDependencies {
  /** That of the installation. */
  config: Config;
  env: Environment;
  registry: SiteRegistry;
  clock: Clock;
  log: Log;
  /** The sites that have processes here, which follow other nodes themselves. */
  listAwake(): string[];
}

/** What one node does so that further sites are the same on all nodes. */
export interface FollowedSites {
  /** Has a copy of an active site here. Throws `unavailable` if that takes too long. */
  ensure(id: string): Promise<void>;
  /** The same for somebody who asks for its pages: with the release that is live now. */
  prepare(id: string): Promise<void>;
  /** Brings copies up to date with the registry; null: all. No processes of them may run. */
  refresh(ids: readonly string[] | null): Promise<void>;
  /** Notes that a site has processes here, for `leaseMs`. */
  noteAwake(id: string, leaseMs: number): Promise<void>;
  noteAsleep(id: string): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** How long somebody who asks for a site waits for its copy, and for its newest release, in ms. */
const installWaitMs = 25_000;
const releaseWaitMs = 4000;
/** How often to look for releases that nobody has told of, in ms: with many copies, less often. */
const minPollMs = 2000;
const pollMsPerCopy = 10;
const resealMs = 60_000;
const maxConcurrent = 4;
/** How many sites may be prepared at once: more have to ask again. */
const maxPreparing = 32;

function notReady(): AppError {
  const headers = { "retry-after": "5" };
  return new AppError("unavailable", "This site is being prepared. Try again in a moment.", {
    headers,
  });
}

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

/** Work for sites, at most one at a time for each and a few for all. */
function makeSiteWork(work: (id: string) => Promise<void>) {
  const running = new Map<string, Promise<void>>();
  return (id: string): Promise<void> => {
    const known = running.get(id);
    if (known !== undefined) return known;
    if (running.size >= maxPreparing) return Promise.reject(notReady());
    const started = work(id).finally(() => running.delete(id));
    running.set(id, started);
    return started;
  };
}

/** Logs why a site can't be had, once rather than every time; who asks for it isn't told. */
function makeFailureLog(log: Log) {
  const last = new Map<string, string>();
  return {
    add(id: string, error: unknown): AppError {
      if (last.get(id) !== String(error))
        log.error({ err: error, site: id }, "a site can't follow the other nodes yet");
      last.set(id, String(error));
      return notReady();
    },
    clear: (id: string) => void last.delete(id),
  };
}

/** The name of this node among those of the installation. */
const nodeName = ({ dir }: Config) => `${hostname()}:${dir}`;

interface ReleaseFollowerDependencies extends FollowSitesDependencies {
  databaseUrl: string;
  copies: SiteCopies;
  /** The sites that have copies here. */
  known: Set<string>;
}

/** Has the live releases of all copies here, soon after another node has published them. */
function makeReleaseFollower(deps: ReleaseFollowerDependencies) {
  const { config, registry, copies, known, listAwake, log, databaseUrl: url } = deps;
  const database = openDatabase({ url, file: "" });
  const failures = makeFailureLog(log);
  let isClosed = false;
  const slots = makeSemaphore(maxConcurrent);
  /** What is to be followed, and what is being followed. */
  const wanted = new Set<string>();
  const following = new Map<string, Promise<void>>();
  let listener: Notifications | null = null;
  let timer: NodeJS.Timeout | undefined;

  const followOne = makeSiteWork(async (id) => {
    try {
      if ((await registry.findRouteById(id))?.status !== "active") return;
      await copies.ensure(id);
      await copies.follow(id);
      failures.clear(id);
    } catch (error) {
      throw failures.add(id, error);
    }
  });

  /** Those of the sites that sleep here and whose live release is another one. */
  async function listBehind(ids: Iterable<string>): Promise<string[]> {
    const awake = new Set(listAwake());
    const asleep = [...ids].filter((id) => known.has(id) && !awake.has(id));
    const newest = await newestReleases(database.db, asleep.map(siteSchema));
    const behind: string[] = [];
    for (const id of asleep) {
      const release = newest.get(siteSchema(id));
      const here = await currentRelease(copyPaths(config.paths.sites, id));
      if (release !== undefined && release !== here) behind.push(id);
    }
    return behind;
  }

  async function follow(id: string): Promise<void> {
    for (const behind of await listBehind([id])) await followOne(behind);
  }

  async function followUntilDone(id: string): Promise<void> {
    while (wanted.delete(id) && !isClosed) {
      await slots.run(() => follow(id)).catch(() => {});
    }
    following.delete(id);
  }

  function followSoon(id: string): void {
    wanted.add(id);
    // What is told while it is followed may have been too late for that.
    if (!isClosed && !following.has(id)) following.set(id, followUntilDone(id));
  }

  async function poll(): Promise<void> {
    try {
      for (const id of await listBehind(known)) followSoon(id);
    } catch (error) {
      log.error({ err: error }, "the releases of further sites can't be looked up");
    }
  }

  function pollLater(): void {
    const ms = Math.max(minPollMs, known.size * pollMsPerCopy);
    timer = setTimeout(() => void poll().finally(() => isClosed || pollLater()), ms);
  }

  return {
    follow,
    start() {
      listener = listenToSchemas({ url, log }, (schema, message, own) => {
        if (schema === own && message === "") void poll();
        if (message !== changeMessage) return;
        for (const id of known) if (siteSchema(id) === schema) followSoon(id);
      });
      pollLater();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await listener?.close();
      await Promise.all(following.values());
      await database.close();
    },
  };
}

/** Keeps this node's copies of further sites up to date; null if the installation is on one disk. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function openFollowedSites(deps: FollowSitesDependencies): FollowedSites | null {
  const { config, registry, log } = deps;
  const { databaseUrl, storage, paths } = config;
  if (storage === null || databaseUrl === null) return null;
  const node = nodeName(config);
  const copies = makeSiteCopies({ ...deps, nodes: registry.nodes });
  const known = new Set<string>();
  const releases = makeReleaseFollower({ ...deps, databaseUrl, copies, known });
  const removals = openSiteRemovals({ ...deps, storage, databaseUrl });
  const failures = makeFailureLog(log);
  const ensureOne = makeSiteWork(async (id) => {
    try {
      await copies.ensure(id);
      known.add(id);
      failures.clear(id);
    } catch (error) {
      throw failures.add(id, error);
    }
  });

  async function refreshOne(id: string): Promise<void> {
    const site = await registry.findRouteById(id);
    const incarnation = (await registry.nodes.find(id))?.incarnation;
    // One that isn't complete, or not removed completely, is looked at again later.
    if (site !== null && incarnation === undefined) return;
    if (await copies.removeOther(id, site && (incarnation ?? null))) {
      known.delete(id);
      log.info({ site: id }, "removed the copy of a site that was removed");
    }
    if (site?.status === "active" && known.has(id)) await ensureOne(id);
  }

  async function refresh(ids: readonly string[] | null): Promise<void> {
    for (const id of ids ?? known) {
      await refreshOne(id).catch((error: unknown) => {
        log.error({ err: error, site: id }, "the copy of a site can't be brought up to date");
      });
    }
  }

  /** Gives other nodes what was here before there were any. */
  async function adoptAll(): Promise<void> {
    for (const id of (await listFolders(paths.sites)).others) {
      if ((await registry.findRouteById(id))?.status === "active") await copies.adopt(id);
    }
  }

  const onError = (error: unknown) =>
    log.warn({ err: error }, "couldn't bring further sites up to date; will try again");
  const tasks = [
    repeat(adoptAll, { everyMs: 60_000, runImmediately: true, onError }),
    repeat(() => copies.reseal(), { everyMs: resealMs, runImmediately: true, onError }),
    removals,
  ];

  return {
    ensure: (id) => waitFor(ensureOne(id), installWaitMs),
    async prepare(id) {
      await waitFor(ensureOne(id), installWaitMs);
      const hasRelease = (await currentRelease(copyPaths(paths.sites, id))) !== null;
      try {
        await waitFor(releases.follow(id), hasRelease ? releaseWaitMs : installWaitMs);
      } catch (error) {
        // What was live a moment ago is better than nothing.
        if (!hasRelease) throw error;
      }
    },
    refresh,
    noteAwake: (id, leaseMs) => registry.nodes.noteAwake(id, node, leaseMs),
    noteAsleep: (id) => registry.nodes.forgetAwake(node, id),
    async start() {
      // What a killed process of this node has left.
      await registry.nodes.forgetAwake(node);
      for (const id of (await listFolders(paths.sites)).copies) known.add(id);
      await refresh(null);
      releases.start();
      for (const task of tasks) task.start();
    },
    async close() {
      await Promise.all(tasks.map((task) => task.close()));
      await releases.close();
    },
  };
}
