import { install } from "../features/install/install.ts";
import { isInstalled } from "../features/install/lock.ts";
import { importFolder } from "../features/portability/import/cleanup.ts";
import { startedFile } from "../features/portability/import/media.ts";
import { pruneArtifacts } from "../features/release/artifact/prune.ts";
import { currentRelease, liveRelease } from "../features/release/current-symlink.ts";
import type { NodeRecords, SiteCopy } from "../features/sites/node-records.ts";
import { becomeFirstNode } from "../features/storage/first-node.ts";
import { findUnstored } from "../features/storage/find-unstored.ts";
import type { Clock } from "../kit/clock.ts";
import type { Config, Environment } from "../platform/config.ts";
import { openDatabase } from "../platform/db/connect.ts";
import { exists } from "../platform/files.ts";
import type { Log } from "../platform/log.ts";
import { type StoredKeyring } from "../platform/secrets.ts";
import { programVersion } from "../platform/version.ts";
import { findOtherEntry } from "./copy-entries.ts";
import { makeUseNotes } from "./copy-use.ts";
import { artifactsInUse } from "./follow-nodes.ts";
import { hasOtherNodes, joinSteps } from "./join-nodes.ts";
import { siteConfig } from "./launch-site.ts";
import {
  copyPaths,
  isChanged,
  readAvailable,
  readContent,
  readMark,
  removeCopy,
  writeMark,
} from "./site-copy-files.ts";
import { exchangeContent, identifyFolder, replaceKeyring } from "./site-copy-content.ts";
import { makeKeySeal } from "./site-copy-keys.ts";
import { lockCopy, withSite } from "./opened-site.ts";
import { notReady } from "./shared-site-work.ts";
import { migrateSite } from "./site-work.ts";

/** This node's copies of the installation's further sites. */
export interface SiteCopies {
  /**
   * Makes sure that this node has a copy of an active site, with the settings and keys of all nodes. Changes
   * made here go to the others. Returns whether there were any. Throws `unavailable` if that isn't possible.
   */
  ensure(id: string): Promise<boolean>;
  /** Notes that somebody has needed this node's copy of a site now. Never throws. */
  noteUse(id: string): Promise<void>;
  /**
   * Replaces the keys that encrypt a site's settings: for all nodes first, then here. Returns whether there
   * are other nodes to have them. Throws `conflict` if this node doesn't have what all nodes have.
   */
  replaceKeyring(id: string, ring: StoredKeyring): Promise<boolean>;
  /** Brings a copy that has no processes up to date: its live release, or everything. */
  follow(id: string, options?: { isComplete?: boolean }): Promise<void>;
  /** Stores everything of a site that was made here, so that other nodes can have it. */
  share(id: string, incarnation: string): Promise<void>;
  /** The same for a site that was here before nodes shared anything, unless it is shared already. */
  adopt(id: string): Promise<void>;
  /**
   * Removes a copy of which everything is stored, so that it can be made again, unless `isNeeded` says
   * otherwise at the last moment. Returns why it stays; null if it is gone.
   */
  removeStored(id: string, isNeeded: () => Promise<boolean>): Promise<string | null>;
  /** Removes a copy, unless it is one of this incarnation of the site. */
  removeOther(id: string, incarnation: string | null): Promise<boolean>;
  /** Encrypts the keys of all sites with the key that is active now. */
  reseal(): Promise<void>;
}

export interface SiteCopiesDependencies {
  /** That of the installation. */
  config: Config;
  env: Environment;
  nodes: NodeRecords;
  clock: Clock;
  log: Log;
}

/** Fills the folder of a copy from the database and the object store. */
async function installCopy(
  { config, env, clock, log }: SiteCopiesDependencies,
  id: string,
): Promise<void> {
  const site = siteConfig(env, config, id);
  const { databaseUrl: url, paths } = site;
  const database = openDatabase({ url, file: paths.database });
  try {
    if (!(await hasOtherNodes(database.db))) {
      throw notReady(`The site “${id}” isn't in the object store yet.`);
    }
    const steps = joinSteps(site, database.db, log);
    await install({ paths, steps, version: programVersion(), clock, log });
  } finally {
    await database.close();
  }
}

/** Stores everything of a site in the object store, unless that was done. */
function storeSite(deps: SiteCopiesDependencies, id: string): Promise<void> {
  const { clock, log } = deps;
  return withSite(deps, id, ({ site: { paths }, db, shared, repository }) => {
    const listArtifacts = () => artifactsInUse(db);
    return becomeFirstNode({ db, shared, repository, paths, clock, log, listArtifacts });
  });
}

/** Opens this node's copies. Several processes of it may use them at once. */
// oxlint-disable-next-line max-lines-per-function -- one closure over the same dependencies, in short parts
export function makeSiteCopies(deps: SiteCopiesDependencies): SiteCopies {
  const { config, env, nodes, clock, log } = deps;
  const { sites } = config.paths;
  const keySeal = makeKeySeal(config);
  const content = { config, env, nodes, keySeal };

  const locked = <T>(id: string, work: () => Promise<T>) => lockCopy(config, id, work);

  async function removeOther(id: string, incarnation: string | null): Promise<boolean> {
    const mark = await readMark(copyPaths(sites, id));
    if (mark === null || mark.incarnation === incarnation) return false;
    await removeCopy(sites, id);
    return true;
  }

  /** Whether it was here before nodes shared anything: it will be adopted. */
  async function isUnshared(id: string): Promise<boolean> {
    const paths = copyPaths(sites, id);
    const isOwn = (await readMark(paths)) === null && (await isInstalled(paths));
    return isOwn && (await nodes.find(id)) === null;
  }

  async function ensure(id: string): Promise<boolean> {
    const paths = copyPaths(sites, id);
    if (await isUnshared(id)) return false;
    const shared = await nodes.find(id);
    const isHere = await exists(paths.dir);
    const mark = await readMark(paths);
    if (shared === null) throw notReady(`The site “${id}” isn't in the object store yet.`);
    await removeOther(id, shared.incarnation);
    if (isHere && mark === null) await identifyFolder(content, id, shared);
    const hasShared = await exchangeContent(content, id, shared);
    if (!(await isInstalled(paths))) await installCopy(deps, id);
    return hasShared;
  }

  async function removeStored(
    id: string,
    isNeeded: () => Promise<boolean>,
  ): Promise<string | null> {
    const paths = copyPaths(sites, id);
    const [shared, mark] = [await nodes.find(id), await readMark(paths)];
    if (shared === null || mark?.incarnation !== shared.incarnation) return "it isn't shared";
    const here = await readAvailable(paths);
    if (!here.isWhole || isChanged(mark, { settings: here.settings ?? "", keys: here.keys }))
      return "its settings or keys were changed here";
    const other = await findOtherEntry(paths);
    if (other !== null) return `${other} is nothing of a copy`;
    if (await exists(startedFile(importFolder(paths.data)))) return "an import isn't finished";
    const unstored = await withSite(deps, id, ({ db, shared: storage, repository }) =>
      findUnstored({
        db,
        shared: storage,
        repository,
        paths,
        now: clock.now(),
        listArtifacts: () => artifactsInUse(db),
      }),
    );
    if (unstored !== null) return unstored;
    // Whoever needs it from here on waits for the lock, and makes it again.
    if (await isNeeded()) return "it is in use";
    await removeCopy(sites, id);
    return null;
  }

  async function share(
    id: string,
    incarnation: string,
    store: (copy: Omit<SiteCopy, "version">) => Promise<boolean>,
  ): Promise<void> {
    const paths = copyPaths(sites, id);
    await storeSite(deps, id);
    const here = await readContent(paths);
    const keys = await keySeal.seal(id, incarnation, here.keys);
    if (await store({ incarnation, settings: here.settings, keys })) {
      await writeMark(paths, { incarnation, version: 1 }, here);
    }
  }

  return {
    // It is served while it is stored, which takes as long as it takes.
    ensure: async (id) => !(await isUnshared(id)) && locked(id, () => ensure(id)),
    noteUse: makeUseNotes({ sites, clock, log }),
    replaceKeyring: (id, ring) => locked(id, () => replaceKeyring(content, id, ring)),
    removeStored: (id, isNeeded) => locked(id, () => removeStored(id, isNeeded)),
    removeOther: (id, incarnation) => locked(id, () => removeOther(id, incarnation)),
    share: (id, incarnation) =>
      locked(id, () =>
        share(id, incarnation, async (copy) => {
          await nodes.complete(id, copy);
          return true;
        }),
      ),
    adopt: (id) =>
      locked(id, async () => {
        if (!(await isUnshared(id))) return;
        await migrateSite(siteConfig(env, config, id), clock.now());
        await share(id, crypto.randomUUID(), (copy) => nodes.adopt(id, copy));
      }),
    follow: (id, { isComplete = false } = {}) =>
      withSite(deps, id, async ({ site, db, shared, repository }) => {
        if (isComplete) await shared.content.sync(repository);
        const before = await currentRelease(site.paths);
        await shared.releases.follow();
        if ((await currentRelease(site.paths)) === before) return;
        const live = await liveRelease(site.paths);
        const inUse = new Set([...(await artifactsInUse(db)), ...(live ? [live.sha] : [])]);
        const { keep } = site.limits;
        const nowMs = clock.now();
        await pruneArtifacts(site.paths.artifacts, { keep: keep.artifacts, inUse, nowMs });
      }),
    async reseal() {
      const keyring = await keySeal.keys();
      keyring.reload?.();
      await nodes.reseal(keyring.active, async (site) => {
        try {
          return await keySeal.reseal(site);
        } catch (error) {
          log.error({ err: error, site: site.id }, "the keys of a site can't be encrypted again");
          return null;
        }
      });
    },
  };
}
