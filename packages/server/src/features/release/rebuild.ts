import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../kit/clock.ts";
import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { openLock, type ProcessLock } from "../../platform/lock.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { avifReason } from "../media/library/avif-variants.ts";
import { listWorkspaces, removeWorkspace } from "../workspace/workspace.ts";
import { BuildFailed } from "./builder/build.ts";
import { GaveWay } from "./builder/build-turns.ts";
import { makeMissingImages, missingImagesReason } from "./missing-images.ts";
import { rebuildState, requestRebuild } from "./rebuild-requests.ts";
import { saveConfirmation, saveRefusal } from "./private/confirmations.ts";
import {
  type RebuildDependencies,
  rebuildSite,
  type RebuildStep,
  type Rebuilt,
} from "./rebuild-site.ts";
import {
  claimPending,
  endBuilding,
  lastEnded,
  type RebuildRow,
  reopenBuilding,
  listRebuilds,
} from "./rebuild-store.ts";
import type { RebuildState } from "./schema.ts";
import { findIntent, findPublishedSince } from "./store.ts";

export interface RebuilderDependencies extends RebuildDependencies {
  db: Db;
  paths: InstancePaths;
  clock: Clock;
  log: Log;
  /**
   * How long no further request must arrive before a rebuild starts, in ms; defaults to 800, for a
   * single request a while after the last rebuild to 100.
   */
  debounceMs?: number;
  /** Maximum wait of the first request, in ms; defaults to 5,000. */
  maxWaitMs?: number;
  /** How often to check for requests, which any process can make, in ms; defaults to 100. */
  pollMs?: number;
  /** How long a release must be live before its missing share images are drawn; defaults to 3,000. */
  quietMs?: number;
  /** Held while requests are handled; by default that of the processes on this machine. */
  lock?: ProcessLock;
  /** Called after each rebuild to remove unneeded artifacts; its errors are logged. */
  after?: () => Promise<void>;
  /** Called after each step; for tests that stop there. */
  onStep?: (name: RebuildStep) => void | Promise<void>;
}

/** The result of one check for requests. */
export type RebuildOutcome = "idle" | "waiting" | "done" | "failed";

/** Keeps the public site in sync with the records, in the runner process. */
export interface Rebuilder {
  /** Starts checking for requests; call `recover` before. */
  start(): void;
  /**
   * Requests a rebuild and returns immediately.
   * @param confirmPrivate the fingerprint of private text that the owner confirms
   */
  request(reason: string, confirmPrivate?: string | null): Promise<void>;
  state(): Promise<RebuildState>;
  /** Checks once: rebuilds if a request has waited long enough. For tests. */
  runOnce(): Promise<RebuildOutcome>;
  /** At startup, after the publisher's: a dead process's rebuild is pending again, or done. */
  recover(): Promise<void>;
  /** Stops checking, aborts a running build (it is pending again), and waits for it. */
  close(): Promise<void>;
}

const defaultPollMs = 100;
/** Nobody waits for these; merged with another request, they have another reason. */
const backgroundReasons: ReadonlySet<string> = new Set([missingImagesReason, avifReason]);
const idPattern = /^rebuild-/;

/** A rebuild's workspace and publish: a different one for each start. */
function rebuildId(row: Pick<RebuildRow, "id" | "started_at">): string {
  return `rebuild-${row.id}-${Date.parse(row.started_at ?? "").toString(36)}`;
}

/** A rebuild is aborted because the process ends. */
class Closing extends Error {}

/** Explains to the owner why a rebuild failed, and what helps. */
function explain(error: unknown): string {
  if (error instanceof BuildFailed) {
    const [first = error.message] = error.errors;
    const help = error.isOverMemory
      ? "Raise limits.build.memoryMiB in vitrine.json and restart, or publish fewer projects."
      : "Fix that in the console, or undo the change to the record.";
    return `The site can't be built: ${first} ${help}`;
  }
  return toAppError(error).message;
}

/** How long a single request waits for further ones, and how long ago the last rebuild must be, in ms. */
const singleDebounceMs = 100;
const calmMs = 2000;

async function isDue(deps: RebuilderDependencies, row: RebuildRow): Promise<boolean> {
  const { db, clock, debounceMs = 800, maxWaitMs = 5000 } = deps;
  const quiet = clock.now() - Date.parse(row.last_requested_at);
  const waited = clock.now() - Date.parse(row.requested_at);
  // In the future only if the clock was set back: waiting for it would never end.
  if (quiet < 0 || quiet >= debounceMs || waited >= maxWaitMs) return true;
  if (row.requested_at !== row.last_requested_at || quiet < singleDebounceMs) return false;
  const last = await lastEnded(db);
  return last === undefined || clock.now() - Date.parse(last.finished_at ?? "") >= calmMs;
}

/**
 * A failed rebuild is retried after a run was published: that may have removed the cause, and the
 * records aren't in the repository yet.
 */
export function makeRetryAfterPublish({
  db,
  clock,
}: Pick<RebuilderDependencies, "db" | "clock">): () => Promise<void> {
  // Once for each: a publish whose clock was ahead seems newer than every rebuild for as long.
  let retriedFor: string | null = null;
  return async () => {
    const last = await lastEnded(db);
    if (last?.status !== "failed" || last.finished_at === null) return;
    const published = await findPublishedSince(db, last.finished_at);
    if (published === null || published === retriedFor) return;
    retriedFor = published;
    await requestRebuild(db, { reason: last.reason, now: clock.now() });
  };
}

/** How often requests are made for what isn't asked for by a request, in ms. */
const selfCheckMs = 400;

/** Checks whether a request is due, or an end isn't stored yet: then it's worth taking the lock. */
function makeWantedCheck(deps: RebuilderDependencies): () => Promise<boolean> {
  const { db, paths, clock, quietMs = 3000 } = deps;
  const requestMissingImages = makeMissingImages({ db, paths, clock, quietMs });
  const retryAfterPublish = makeRetryAfterPublish(deps);
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const [pending] = await listRebuilds(db, "pending");
    if (pending) {
      deps.builder.prepare();
      return isDue(deps, pending);
    }
    if (clock.monotonic() - checkedAt < selfCheckMs) return false;
    checkedAt = clock.monotonic();
    await retryAfterPublish();
    const unended = await listRebuilds(db, "building");
    if (unended.length === 0) await requestMissingImages();
    return unended.length > 0;
  };
}

/** A signal that ends a rebuild that nobody waits for as soon as another one is requested. */
function watchRequests({ db, pollMs = defaultPollMs }: RebuilderDependencies) {
  const other = new AbortController();
  const stopped = new AbortController();
  const watch = async () => {
    while (!other.signal.aborted) {
      await pause(pollMs, undefined, { signal: stopped.signal });
      const pending = await listRebuilds(db, "pending");
      if (pending.length > 0) other.abort(new GaveWay());
    }
  };
  // Without it, the other rebuild waits a little.
  watch().catch(() => {});
  return { signal: other.signal, stop: () => stopped.abort() };
}

/**
 * Resolves rebuilds of dead processes, and those whose end this one couldn't store. The caller
 * holds the lock: nobody is building now.
 */
async function reopenUnfinished({ db, repository, log }: RebuilderDependencies): Promise<void> {
  for (const row of await listRebuilds(db, "building")) {
    const intent = await findIntent(db, rebuildId(row));
    if (intent?.state === "done") {
      await endBuilding(db, row.id, {
        status: "done",
        finished_at: intent.finished_at ?? intent.created_at,
        error: null,
        commit_sha: intent.commit_sha,
        release_number: intent.release_number,
      });
    } else {
      await reopenBuilding(db, row);
      log.warn({ request: row.id }, "requeued an unfinished rebuild");
    }
  }
  for (const name of await listWorkspaces(repository)) {
    if (idPattern.test(name)) await removeWorkspace(repository, name);
  }
}

async function build(
  deps: RebuilderDependencies,
  row: RebuildRow,
  closing: AbortSignal,
): Promise<"done" | "failed" | "idle"> {
  const { db, clock, log } = deps;
  const step = deps.onStep ?? (() => {});
  const ended = () => ({ finished_at: isoTime(clock.now()) });
  const { reason } = row;
  const isInBackground = backgroundReasons.has(reason);
  const requests = isInBackground ? watchRequests(deps) : undefined;
  const signal = AbortSignal.any(requests ? [closing, requests.signal] : [closing]);
  let rebuilt: Rebuilt;
  try {
    await step("claimed");
    const job = { id: rebuildId(row), reason, isInBackground, signal, step };
    rebuilt = await rebuildSite(deps, job);
  } catch (error) {
    if (signal.aborted || error instanceof GaveWay) {
      await reopenBuilding(db, row);
      return "idle";
    }
    log.error({ err: error, request: row.id }, "a rebuild failed; the last release stays live");
    await saveRefusal(db, error, clock.now());
    const failed = { status: "failed", commit_sha: null, release_number: null } as const;
    await endBuilding(db, row.id, { ...failed, error: explain(error), ...ended() });
    return "failed";
  } finally {
    requests?.stop();
  }
  // Outside: what is live hasn't failed just because that can't be stored.
  const { commit: commit_sha, release: release_number } = rebuilt;
  const done = { status: "done", error: null, commit_sha, release_number } as const;
  await endBuilding(db, row.id, { ...done, ...ended() });
  await step("ended");
  return "done";
}

/** Handles requests while holding the lock. */
async function runRequests(
  deps: RebuilderDependencies,
  signal: AbortSignal,
): Promise<RebuildOutcome> {
  const { db, clock, log } = deps;
  await reopenUnfinished(deps);
  const [pending] = await listRebuilds(db, "pending");
  if (!pending) return "idle";
  if (!(await isDue(deps, pending))) return "waiting";
  const claimed = await claimPending(db, isoTime(clock.now()));
  if (!claimed) return "idle";
  const result = await build(deps, claimed, signal);
  await deps.after?.().catch((error: unknown) => {
    log.warn({ err: error }, "couldn't remove a rebuild's leftovers");
  });
  return result;
}

/** Held while requests are handled, by one process of this machine. */
export function openRebuildLock(paths: Pick<InstancePaths, "data">): ProcessLock {
  return openLock(join(paths.data, "rebuild.lock"));
}

/** Removes what dead processes have left; if another node is building now, as soon as that has ended. */
function makeRecovery(deps: RebuilderDependencies, lock: ProcessLock) {
  let isOpen = false;
  async function recover(): Promise<void> {
    try {
      await lock.run(() => reopenUnfinished(deps), { waitMs: 0 });
      isOpen = false;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "locked") throw error;
      isOpen = true;
    }
  }
  return { recover, retryRecovery: async () => (isOpen ? recover() : undefined) };
}

/** Creates the rebuilder; one at a time across the instance's processes. */
export function makeRebuilder(deps: RebuilderDependencies): Rebuilder {
  const { db, clock, log, paths, pollMs = defaultPollMs } = deps;
  const lock = deps.lock ?? openRebuildLock(paths);
  const closing = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  let polling: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const isWanted = makeWantedCheck(deps);
  const { recover, retryRecovery } = makeRecovery(deps, lock);
  async function runOnce(): Promise<RebuildOutcome> {
    const run = lock.run(() => runRequests(deps, closing.signal), { waitMs: 0 });
    running = Promise.allSettled([running, run]);
    try {
      return await run;
    } catch (error) {
      // Another process of this instance is doing it.
      if (error instanceof AppError && error.code === "locked") return "waiting";
      throw error;
    }
  }

  async function poll(): Promise<void> {
    try {
      await retryRecovery();
      if (await isWanted()) await runOnce();
    } catch (error) {
      log.error({ err: error }, "checking for pending rebuilds failed");
    }
    if (!closing.signal.aborted) schedule();
  }

  function schedule(): void {
    timer = setTimeout(() => {
      polling = poll();
    }, pollMs);
  }

  return {
    start: schedule,
    async request(reason, confirmPrivate = null) {
      const now = clock.now();
      if (confirmPrivate !== null) await saveConfirmation(db, confirmPrivate, now);
      await requestRebuild(db, { reason, now });
    },
    state: () => rebuildState(db),
    runOnce,
    recover,
    async close() {
      closing.abort(new Closing());
      clearTimeout(timer);
      await polling;
      await running;
      lock.close();
    },
  };
}
