import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../../kit/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { findNextForAvif } from "./avif-variants.ts";
import type { MediaLibrary } from "./library.ts";

export interface AvifQueueDependencies {
  db: Db;
  clock: Pick<Clock, "monotonic">;
  library: Pick<MediaLibrary, "addAvif" | "releaseAvif" | "isBusy">;
  /** Whether no build, run, or QA run is working or waiting. */
  isQuiet(): Promise<boolean>;
  /** How long it has to have been quiet before the first image, in ms; defaults to 10,000. */
  quietMs?: number;
  /** How long after the last image the site is rebuilt with them, in ms; defaults to 60,000. */
  releaseMs?: number;
  /** How often work in progress checks whether it is still quiet, in ms; defaults to 500. */
  pollMs?: number;
}

/** What one turn did: `gave way` is an image that was interrupted and is made later. */
export type AvifTurn = "idle" | "waiting" | "made" | "gave way" | "released";

/** Another job has begun, which goes first. */
class GaveWay extends Error {}

/**
 * Returns a function that makes the AVIF variants of one image if nothing else goes on, to be called
 * repeatedly, never twice at once. When none is left, it requests one rebuild with all of them.
 */
export function makeAvifQueue(
  deps: AvifQueueDependencies,
): (end: AbortSignal) => Promise<AvifTurn> {
  const { db, clock, library, quietMs = 10_000, releaseMs = 60_000, pollMs = 500 } = deps;
  let quietSince: number | null = null;
  let lastMade = Number.NEGATIVE_INFINITY;
  let isDone = false;

  const isQuiet = async () => !library.isBusy() && (await deps.isQuiet());

  /** A signal that ends the work as soon as something else begins. */
  function watch(end: AbortSignal) {
    const other = new AbortController();
    const stopped = new AbortController();
    const check = async () => {
      while (!other.signal.aborted) {
        await pause(pollMs, undefined, { signal: stopped.signal });
        if (!(await isQuiet())) other.abort(new GaveWay());
      }
    };
    check().catch(() => {});
    return { signal: AbortSignal.any([end, other.signal]), stop: () => stopped.abort() };
  }

  async function make(id: number, end: AbortSignal): Promise<AvifTurn> {
    const watcher = watch(end);
    try {
      await library.addAvif(id, watcher.signal);
      return "made";
    } catch (error) {
      if (error instanceof GaveWay) return "gave way";
      throw error;
    } finally {
      watcher.stop();
      lastMade = clock.monotonic();
    }
  }

  return async (end) => {
    const next = await findNextForAvif(db);
    if (next === null && isDone) return "idle";
    isDone = false;
    if (!(await isQuiet())) {
      quietSince = null;
      return "waiting";
    }
    quietSince ??= clock.monotonic();
    if (clock.monotonic() - quietSince < quietMs) return "waiting";
    if (next !== null) {
      const turn = await make(next.id, end);
      if (turn === "gave way") quietSince = null;
      return turn;
    }
    if (clock.monotonic() - lastMade < releaseMs) return "waiting";
    isDone = true;
    return (await library.releaseAvif()) ? "released" : "idle";
  };
}
