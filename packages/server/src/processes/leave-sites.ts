import { isInstalled } from "../features/install/lock.ts";
import type { SiteRegistry } from "../features/sites/registry.ts";
import { collectEverything, leaveStorage } from "../features/storage/leave-storage.ts";
import { hasEnded, isShared } from "../features/storage/store.ts";
import type { Clock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import type { Config, Environment } from "../platform/config.ts";
import { acquireLock } from "../platform/lock.ts";
import type { Log } from "../platform/log.ts";
import { artifactsInUse } from "./follow-nodes.ts";
import { nodeName } from "./follow-sites.ts";
import { hasOtherNodes } from "./join-nodes.ts";
import { lockCopy, type OpenedSite, withSite } from "./opened-site.ts";
import { makeSiteCopies } from "./site-copies.ts";
import { copyPaths, readMark, removeMark } from "./site-copy-files.ts";
import { hasRunner } from "./site-work.ts";

/** The installation's own site, which leaves last. */
export interface OwnSite {
  /** Has everything of it in its folder here, compared by hashes. */
  collect(): Promise<unknown>;
  /** Throws `in_use` if another node is running. */
  assertAlone(): Promise<void>;
}

export interface LeaveSitesDependencies {
  /** That of the installation. */
  config: Config;
  env: Environment;
  registry: SiteRegistry;
  clock: Clock;
  log: Log;
  own: OwnSite;
}

/** The further sites of an installation that leaves its object store. */
export interface LeavingSites {
  /**
   * Has everything of each, and of the own site, in its folder here, compared by hashes. Returns how many
   * further ones there are.
   */
  collect(): Promise<number>;
  /**
   * Ends the sharing of each, keys included; from then on, only its folder here counts. None leaves if the
   * own site, which `finish` has leave, can't be collected. Throws `in_use` if anything of the installation
   * runs on this node. Can be repeated after an interruption.
   */
  leave<T>(finish: () => Promise<T>): Promise<T>;
}

const dependenciesOf = ({ site: { paths }, db, shared, repository }: OpenedSite) => ({
  db,
  shared,
  repository,
  paths,
  listArtifacts: () => artifactsInUse(db),
});

/** Throws `in_use` if another node runs, or has a site's processes, or had them two minutes ago. */
async function assertNoOtherNodes({
  config,
  registry,
  own,
}: LeaveSitesDependencies): Promise<void> {
  await own.assertAlone();
  const node = nodeName(config);
  const other = (await registry.nodes.listAwake()).find((site) => site.node !== node);
  if (other === undefined) return;
  const message = `The site “${other.siteId}” is running on another node (${other.node}). Stop that node, wait two minutes, and run this again.`;
  throw new AppError("in_use", message);
}

function stillRunning(): AppError {
  const message =
    "Everything is in this node's folder. To end the sharing, stop Vitrine on this node and run this again. It compares everything once more, and downloads only what is new.";
  return new AppError("in_use", message);
}

/** The names of all sites. Throws `invalid_state` if one isn't finished. */
async function listIds(registry: SiteRegistry): Promise<string[]> {
  const all = await registry.list();
  const unfinished = all.find(({ status }) => status === "creating");
  if (unfinished === undefined) return all.map(({ id }) => id);
  const message = `The site “${unfinished.id}” isn't finished. Create or remove it first.`;
  throw new AppError("invalid_state", message);
}

/** Opens the further sites to have them leave the object store. */
export function openLeavingSites(deps: LeaveSitesDependencies): LeavingSites {
  const { config, registry, own } = deps;
  const { sites, runners, supervisorLock } = config.paths;
  const copies = makeSiteCopies({ ...deps, nodes: registry.nodes });

  /** Whether the folder here is all that there is of a site. */
  async function isOnlyHere(id: string): Promise<boolean> {
    const paths = copyPaths(sites, id);
    if ((await readMark(paths)) !== null || (await registry.nodes.find(id)) !== null) return false;
    if (!(await isInstalled(paths))) return false;
    // Its records are shared before the registry knows: an adoption may have been interrupted.
    return withSite(deps, id, async ({ db }) => !(await hasOtherNodes(db)));
  }

  /** Whether an interrupted call has ended the sharing of a site's records and files. */
  const hasLeft = ({ db }: OpenedSite) => isShared(db).then((is) => !is && hasEnded(db));

  async function collectOne(id: string): Promise<void> {
    if (await isOnlyHere(id)) return;
    await copies.ensure(id);
    await withSite(deps, id, async (opened) => {
      if (!(await hasLeft(opened))) await collectEverything(dependenciesOf(opened));
    });
  }

  async function leaveOne(id: string): Promise<void> {
    if (await isOnlyHere(id)) return;
    await copies.ensure(id);
    await lockCopy(config, id, async () => {
      await withSite(deps, id, async (opened) => {
        if (await hasLeft(opened)) return;
        await leaveStorage(dependenciesOf(opened), () => assertNoOtherNodes(deps));
      });
      // Without its mark, the folder is never removed; until the registry forgets the site, this is repeated.
      await removeMark(copyPaths(sites, id));
      await registry.nodes.forget(id);
    });
  }

  return {
    async collect() {
      const ids = await listIds(registry);
      await assertNoOtherNodes(deps);
      await own.collect();
      for (const id of ids) await collectOne(id);
      return ids.length;
    },
    async leave(finish) {
      const ids = await listIds(registry);
      // Nothing can be started until the end: it would share its site again.
      const lock = acquireLock(supervisorLock);
      if (lock === null) throw stillRunning();
      try {
        for (const folder of [runners, ...ids.map((id) => copyPaths(sites, id).runners)]) {
          if (await hasRunner({ runners: folder })) throw stillRunning();
        }
        await assertNoOtherNodes(deps);
        // If it can't leave, the installation starts again with the object store, and so do they.
        await own.collect();
        for (const id of ids) await leaveOne(id);
        return await finish();
      } finally {
        lock.release();
      }
    },
  };
}
