import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { makeSemaphore } from "../../kit/concurrency.ts";
import { removeTree, undefinedIfMissing } from "../../platform/files.ts";
import { acquireLock } from "../../platform/lock.ts";
import { currentRelease } from "../release/current-symlink.ts";
import { deliver, type DeliverDependencies } from "./deliver.ts";
import { findTarget, listTargets, type TargetRow } from "./store.ts";
import { deliveryLock, targetsFolder, testFolderPrefix } from "./targets.ts";

export interface DeliveriesDependencies extends DeliverDependencies {
  /** How often to look for releases that weren't sent, in ms; defaults to 5 s, 0 for never. */
  everyMs?: number;
  /**
   * Runs a delivery to a target unless another node is at one; by default there is one node. Throws
   * `locked` otherwise.
   */
  amongNodes?: ((targetId: number, work: () => Promise<void>) => Promise<void>) | undefined;
}

/** Sends releases to the publish targets, in the runner. */
export interface Deliveries {
  /** Looks now and then regularly. */
  start(): void;
  /** Looks soon, because a release or a target has changed. */
  wake(): void;
  /** Sends what is due and waits until nothing is. */
  sendDue(): Promise<void>;
  /** Ends running deliveries; the next start continues them. */
  close(): Promise<void>;
}

/** Without a new release or a wake-up, the database is asked only so often, in ms. */
const idleMs = 60_000;
/** How many targets are sent to at once. */
const maxConcurrent = 3;
/** No attempt is postponed for longer: such a time was written by a clock that ran ahead. */
const maxWaitMs = 2 * 60 * 60_000;
/** Folders of connection tests are left by killed ones after this time, in ms. */
const maxTestAgeMs = 60 * 60_000;

/** Whether a release has to be sent to a target now. `now` in ms. */
export function isDue(row: TargetRow, { release, now }: { release: number; now: number }): boolean {
  const { sent, revision, error, nextAttemptAt } = row;
  if (!row.isEnabled || (sent?.release === release && sent.revision === revision)) return false;
  // A release that wasn't tried yet, or whose attempt was interrupted, doesn't wait.
  if (row.release !== release || error === null) return true;
  if (nextAttemptAt === null) return false;
  const waitMs = Date.parse(nextAttemptAt) - now;
  return waitMs <= 0 || waitMs > maxWaitMs;
}

/**
 * One process at a time sends to a target: it holds the lock until it ends or dies. Releases that
 * were published in the meantime are skipped, except the newest.
 */
async function sendTo(
  deps: DeliveriesDependencies,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  const { db, paths, kinds, amongNodes = (_id, work) => work() } = deps;
  const lock = acquireLock(deliveryLock(paths, id));
  if (lock === null) return;
  const work = async () => {
    while (!signal.aborted) {
      const release = await currentRelease(paths);
      const row = await findTarget(db, id);
      if (release === null || row === null) return;
      if (!isDue(row, { release, now: kinds.clock.now() })) return;
      await deliver(deps, row, { release, signal });
    }
  };
  try {
    await amongNodes(id, work);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "locked") throw error;
  } finally {
    lock.release();
  }
}

/** Removes the folders of targets that don't exist any more, and of killed connection tests. */
async function removeLeftovers(
  { paths, kinds }: DeliveriesDependencies,
  ids: ReadonlySet<string>,
): Promise<void> {
  const folder = targetsFolder(paths);
  for (const name of (await undefinedIfMissing(readdir(folder))) ?? []) {
    const path = join(folder, name);
    const isGone = /^\d+$/.test(name) && !ids.has(name);
    const info = name.startsWith(testFolderPrefix) ? await undefinedIfMissing(stat(path)) : null;
    const isOld = info ? kinds.clock.now() - info.mtimeMs > maxTestAgeMs : false;
    if (isGone || isOld) await removeTree(path);
  }
}

/** Starts what is due; remembers when there is nothing to look for. */
function makeLook(
  { db, paths, kinds, ...deps }: DeliveriesDependencies,
  running: Running,
): (isWoken: boolean) => Promise<void> {
  const { clock } = kinds;
  let seenRelease: number | null = null;
  let nextLookAt = Number.NEGATIVE_INFINITY;
  return async (isWoken) => {
    const release = await currentRelease(paths);
    // An idle instance only reads the link.
    if (!isWoken && release === seenRelease && clock.monotonic() < nextLookAt) return;
    const rows = await listTargets(db);
    seenRelease = release;
    nextLookAt = clock.monotonic() + (rows.some(({ error }) => error !== null) ? 0 : idleMs);
    const ids = new Set([...rows.map(({ id }) => id), ...running.ids()]);
    await removeLeftovers({ db, paths, kinds, ...deps }, new Set([...ids].map(String)));
    if (release === null) return;
    for (const row of rows) {
      if (isDue(row, { release, now: clock.now() })) running.start(row.id);
    }
  };
}

/** The deliveries of this process. */
interface Running {
  ids(): Iterable<number>;
  start(id: number): void;
  ended(): Promise<unknown>;
}

function makeRunning(
  deps: DeliveriesDependencies,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Running {
  const turns = makeSemaphore(maxConcurrent);
  const running = new Map<number, Promise<void>>();
  return {
    ids: () => running.keys(),
    start(id) {
      if (signal.aborted || running.has(id)) return;
      const sending = turns
        .run(() => sendTo(deps, id, signal), signal)
        .catch(onError)
        .finally(() => running.delete(id));
      running.set(id, sending);
    },
    ended: () => Promise.all(running.values()),
  };
}

/** Makes the part of the runner that sends releases. */
export function makeDeliveries(deps: DeliveriesDependencies): Deliveries {
  const { kinds, everyMs = 5000 } = deps;
  const ending = new AbortController();
  const { signal } = ending;
  const report = (error: unknown) => {
    if (!signal.aborted) kinds.log.error({ err: error }, "releases can't be sent now");
  };
  const running = makeRunning(deps, signal, report);
  const look = makeLook(deps, running);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isWaiting = false;
  let isWoken = true;

  async function lookNow(): Promise<void> {
    clearTimeout(timer);
    isWaiting = false;
    if (signal.aborted) return;
    const wasWoken = isWoken;
    isWoken = false;
    await look(wasWoken).catch(report);
    if (everyMs > 0 && !signal.aborted) timer = setTimeout(lookSoon, everyMs).unref();
  }

  /** Looks once more after the look that may be going on; several calls share that. */
  function lookSoon(): void {
    if (isWaiting) return;
    isWaiting = true;
    looking = looking.then(lookNow);
  }

  return {
    start: lookSoon,
    wake() {
      isWoken = true;
      lookSoon();
    },
    async sendDue() {
      isWoken = true;
      lookSoon();
      await looking;
      await running.ended();
    },
    async close() {
      ending.abort(new Error("The runner ends."));
      clearTimeout(timer);
      await looking;
      await running.ended();
    },
  };
}
