import { statfs } from "node:fs/promises";
import type { SiteRegistry } from "../features/sites/registry.ts";
import type { Clock } from "../kit/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";
import { repeat, type RepeatingTask } from "./repeat.ts";
import type { SiteCopies } from "./site-copies.ts";
import { copyPaths, listFolders, noteUse, readLastUse } from "./site-copy-files.ts";
import { hasRunner } from "./site-work.ts";

export interface UnusedCopiesDependencies {
  /** That of the installation. */
  config: Pick<Config, "paths" | "sites">;
  registry: SiteRegistry;
  copies: Pick<SiteCopies, "removeStored">;
  clock: Clock;
  log: Log;
  /** The sites that have processes here. */
  listAwake(): string[];
  /** Has the front ask again before it serves a site's files. */
  askAgain(site: { id: string; domains: string[] }): void;
  /** Called when a copy is about to go, and when it is gone. */
  onRemove(id: string): void;
  /** How many bytes of the disk are free; for tests. */
  freeBytes?(): Promise<number>;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** How long a front that was to ask again has for it: visitors of its memory count as use. */
const probationMs = hourMs;
/** Without this pause, a copy that a site's next work needs would be made again at once. */
const dueSoonMs = dayMs / 4;

interface Candidate {
  id: string;
  usedAt: number;
}

/** Removes this node's copies of sites that nobody has asked it for, or that it has no room for. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeUnusedCopies(deps: UnusedCopiesDependencies) {
  const { config, registry, copies, clock, log, listAwake } = deps;
  const { copyDays, copyFreeMiB } = config.sites;
  const { sites } = config.paths;
  /** When the front was told to ask again for a site, by this clock. */
  const asked = new Map<string, number>();
  const reasons = new Map<string, string>();

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(sites);
    return bavail * bsize;
  }

  const isShort = async () => (await (deps.freeBytes ?? freeBytes)()) < copyFreeMiB * 2 ** 20;

  /** The copies that weren't used for this long, least recently used first. */
  async function listUnused(minMs: number): Promise<Candidate[]> {
    const found: Candidate[] = [];
    for (const id of (await listFolders(sites)).copies) {
      const paths = copyPaths(sites, id);
      const usedAt = await readLastUse(paths);
      // Of copies that were there before uses were noted, nothing is known.
      if (usedAt === null) await noteUse(paths);
      else if (clock.now() - usedAt >= minMs) found.push({ id, usedAt });
    }
    return found.toSorted((a, b) => a.usedAt - b.usedAt);
  }

  async function isNeeded(id: string): Promise<boolean> {
    if (listAwake().includes(id) || (await hasRunner(copyPaths(sites, id)))) return true;
    const site = await registry.get(id).catch(() => null);
    if (site === null || site.status === "creating") return true;
    return site.wakeAt !== null && Date.parse(site.wakeAt) < clock.now() + dueSoonMs;
  }

  function explain(id: string, reason: string): void {
    if (reasons.get(id) === reason) return;
    reasons.set(id, reason);
    log.info({ site: id, reason }, "an unused copy of a site stays on this node");
  }

  /** Removes a copy, or has the front ask for it first. True if it is gone. */
  async function removeOne({ id, usedAt }: Candidate): Promise<boolean> {
    if (await isNeeded(id)) return false;
    const { domains } = await registry.get(id);
    const askedAt = asked.get(id);
    if (askedAt === undefined || usedAt >= askedAt) {
      asked.set(id, clock.now());
      deps.askAgain({ id, domains });
      return false;
    }
    if (clock.now() - askedAt < probationMs) return false;
    const paths = copyPaths(sites, id);
    const reason = await copies.removeStored(id, async () => {
      // Commands use copies, too, and the candidates before this one may have taken long.
      if ((await readLastUse(paths)) !== usedAt || (await hasRunner(paths))) return true;
      if (listAwake().includes(id)) return true;
      deps.onRemove(id);
      return false;
    });
    if (reason !== null) {
      explain(id, reason);
      return false;
    }
    asked.delete(id);
    reasons.delete(id);
    deps.onRemove(id);
    deps.askAgain({ id, domains });
    log.info({ site: id }, "removed an unused copy of a site from this node");
    return true;
  }

  async function sweep(): Promise<void> {
    const old = copyDays === null ? [] : await listUnused(copyDays * dayMs);
    for (const candidate of old) await tryOne(candidate);
    for (const candidate of await listUnused(dayMs)) {
      if (!(await isShort())) return;
      await tryOne(candidate);
    }
  }

  async function tryOne(candidate: Candidate): Promise<void> {
    try {
      await removeOne(candidate);
    } catch (error) {
      // The others don't wait for one that can't be looked at now.
      explain(candidate.id, String(error));
    }
  }

  return { sweep };
}

/** Repeats that every hour. */
export function openUnusedCopies(deps: UnusedCopiesDependencies): RepeatingTask {
  const onError = (error: unknown) =>
    deps.log.warn({ err: error }, "unused copies of sites can't be looked up");
  return repeat(makeUnusedCopies(deps).sweep, { everyMs: hourMs, onError });
}
