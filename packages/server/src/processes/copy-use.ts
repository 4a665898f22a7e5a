import type { Clock } from "../kit/clock.ts";
import type { Log } from "../platform/log.ts";
import { makeFailureLog } from "./shared-site-work.ts";
import { copyPaths, noteUse } from "./site-copy-files.ts";

/** How long a note is recent enough. */
const recentMs = 60_000;

export interface UseNotesDependencies {
  /** The folder of all sites. */
  sites: string;
  clock: Clock;
  log: Log;
}

/**
 * Notes that somebody has needed this node's copy of a site, about once a minute. It never throws: a site
 * whose use can't be noted, as on a full disk, is served anyway.
 */
export function makeUseNotes({ sites, clock, log }: UseNotesDependencies) {
  const failures = makeFailureLog(log, "couldn't note that the copy of a site was used");
  const noted = new Map<string, number>();
  return async (id: string): Promise<void> => {
    const now = clock.monotonic();
    const before = noted.get(id);
    if (before !== undefined && now - before < recentMs) return;
    noted.set(id, now);
    try {
      await noteUse(copyPaths(sites, id));
      failures.clear(id);
    } catch (error) {
      failures.add(id, error);
    }
  };
}
