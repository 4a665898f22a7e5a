import type { Known, KnownResource } from "../engine/job.ts";
import type { Fetcher } from "./fetcher.ts";
import { isSame } from "./known.ts";

/**
 * Asks every known address of the site whether it is as the last pass left it, and stops at the
 * first that isn't. Nothing is read, nothing parsed.
 */
export async function isUnchanged(
  resources: Known["resources"],
  fetcher: Fetcher,
  connections: number,
  signal: AbortSignal,
  onProgress: (done: number, total: number, at: string) => void,
): Promise<boolean> {
  let next = 0;
  let same = true;
  const lane = async () => {
    while (same && !signal.aborted && next < resources.length) {
      const known = resources[next++] as KnownResource;
      const { answer } = await fetcher.own(known.url, { follow: false, known });
      if (!isSame(known, answer)) same = false;
      onProgress(next, resources.length, known.url);
    }
  };
  await Promise.all(Array.from({ length: Math.min(connections, resources.length) }, lane));
  return same && !signal.aborted;
}
