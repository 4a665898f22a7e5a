import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { openLock } from "../../platform/lock.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { listWorkspaces, removeWorkspace } from "../workspace/workspace.ts";
import { BuildFailed } from "./builder/build.ts";
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
import { findIntent, hasPublishedSince } from "./store.ts";

export interface RebuilderDependencies extends RebuildDependencies {
  db: Db;
  paths: InstancePaths;
  clock: Clock;
  log: Log;
  /** How long no further request must come before a rebuild begins, in ms; 800 unless told. */
  debounceMs?: number;
  /** How long the first request waits at most, in ms; 5,000 unless told. */
  maxWaitMs?: number;
  /** How often it looks for requests, which any process may make, in ms; 400 unless told. */
  pollMs?: number;
  /** Called after each rebuild, to remove artifacts that nobody needs; what it throws is logged. */
  after?: () => Promise<void>;
  /** Called after each step; for tests that stop there. */
  onStep?: (name: RebuildStep) => void | Promise<void>;
}

/** What one look at the requests came to. */
export type RebuildOutcome = "idle" | "waiting" | "done" | "failed";

/** Lets the public site follow the records. The runner process makes one. */
export interface Rebuilder {
  /** Begins to look for requests; `recover` comes before. */
  start(): void;
  /**
   * Asks for a rebuild and returns at once.
   * @param confirmPrivate the fingerprint of private text that the owner lets go live
   */
  request(reason: string, confirmPrivate?: string | null): Promise<void>;
  state(): Promise<RebuildState>;
  /** Looks once: rebuilds when a request has waited long enough. For tests. */
  runOnce(): Promise<RebuildOutcome>;
  /** At boot, after the publisher's: what a dead process was building is pending again, or done. */
  recover(): Promise<void>;
  /** Stops looking, gives up a build under way (it is pending again) and waits for it. */
  close(): Promise<void>;
}

const idPattern = /^rebuild-/;

/** A rebuild's workspace and publish: another one each time that a request is taken up. */
function rebuildId(row: Pick<RebuildRow, "id" | "started_at">): string {
  return `rebuild-${row.id}-${Date.parse(row.started_at ?? "").toString(36)}`;
}

/** Why a rebuild is given up with the process. */
class Closing extends Error {}

/** Says for the owner why a rebuild failed, and what helps. */
function explain(error: unknown): string {
  if (error instanceof BuildFailed) {
    const [first = error.message] = error.errors;
    const help = error.isOverMemory
      ? "Raise limits.build.memoryMiB in vitrine.json and restart, or publish fewer projects."
      : "Repair that in the console, or undo the change of the record.";
    return `The site can't be built: ${first} ${help}`;
  }
  return toAppError(error).message;
}

function isDue(deps: RebuilderDependencies, row: RebuildRow): boolean {
  const { clock, debounceMs = 800, maxWaitMs = 5000 } = deps;
  const quiet = clock.now() - Date.parse(row.last_requested_at);
  const waited = clock.now() - Date.parse(row.requested_at);
  // Ahead of the clock only where the clock was set back: that wait would have no end.
  return quiet < 0 || quiet >= debounceMs || waited >= maxWaitMs;
}

/**
 * A failed rebuild is tried again once a run was published: that may be what it waited for, and the
 * records are not in the repository yet.
 */
async function retryAfterPublish({ db, clock }: RebuilderDependencies): Promise<void> {
  const last = await lastEnded(db);
  if (last?.status !== "failed" || last.finished_at === null) return;
  if (!(await hasPublishedSince(db, last.finished_at))) return;
  await requestRebuild(db, { reason: last.reason, now: clock.now() });
}

/** Whether a look is worth taking the lock for: a request is due, or an end is still unwritten. */
async function isWanted(deps: RebuilderDependencies): Promise<boolean> {
  const [pending] = await listRebuilds(deps.db, "pending");
  if (pending) return isDue(deps, pending);
  await retryAfterPublish(deps);
  const unended = await listRebuilds(deps.db, "building");
  return unended.length > 0;
}

/**
 * Settles what a dead process was building, and what this one could not write down the end of. The
 * caller holds the lock: nobody is building now.
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
      log.warn({ request: row.id }, "an unfinished rebuild is pending again");
    }
  }
  for (const name of await listWorkspaces(repository)) {
    if (idPattern.test(name)) await removeWorkspace(repository, name);
  }
}

async function build(
  deps: RebuilderDependencies,
  row: RebuildRow,
  signal: AbortSignal,
): Promise<"done" | "failed" | "idle"> {
  const { db, clock, log } = deps;
  const step = deps.onStep ?? (() => {});
  const ended = () => ({ finished_at: isoTime(clock.now()) });
  let rebuilt: Rebuilt;
  try {
    await step("claimed");
    rebuilt = await rebuildSite(deps, { id: rebuildId(row), reason: row.reason, signal, step });
  } catch (error) {
    if (signal.aborted) {
      await reopenBuilding(db, row);
      return "idle";
    }
    log.error({ err: error, request: row.id }, "a rebuild failed; the last release stays");
    await saveRefusal(db, error, clock.now());
    const failed = { status: "failed", commit_sha: null, release_number: null } as const;
    await endBuilding(db, row.id, { ...failed, error: explain(error), ...ended() });
    return "failed";
  }
  // Outside: what is live has not failed because that can't be written down.
  const { commit: commit_sha, release: release_number } = rebuilt;
  const done = { status: "done", error: null, commit_sha, release_number } as const;
  await endBuilding(db, row.id, { ...done, ...ended() });
  await step("ended");
  return "done";
}

/** One that holds the lock looks at the requests. */
async function runRequests(
  deps: RebuilderDependencies,
  signal: AbortSignal,
): Promise<RebuildOutcome> {
  const { db, clock, log } = deps;
  await reopenUnfinished(deps);
  const [pending] = await listRebuilds(db, "pending");
  if (!pending) return "idle";
  if (!isDue(deps, pending)) return "waiting";
  const claimed = await claimPending(db, isoTime(clock.now()));
  if (!claimed) return "idle";
  const result = await build(deps, claimed, signal);
  await deps.after?.().catch((error: unknown) => {
    log.warn({ err: error }, "what a rebuild leaves could not be removed");
  });
  return result;
}

/** Makes the one that rebuilds; one at a time in all processes of the instance. */
export function makeRebuilder(deps: RebuilderDependencies): Rebuilder {
  const { db, clock, log, paths, pollMs = 400 } = deps;
  const lock = openLock(join(paths.data, "rebuild.lock"));
  const closing = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  let polling: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function runOnce(): Promise<RebuildOutcome> {
    const run = lock.run(() => runRequests(deps, closing.signal), { waitMs: 0 });
    running = Promise.allSettled([running, run]);
    try {
      return await run;
    } catch (error) {
      // Another process of this instance is at it.
      if (error instanceof AppError && error.code === "locked") return "waiting";
      throw error;
    }
  }

  async function poll(): Promise<void> {
    try {
      if (await isWanted(deps)) await runOnce();
    } catch (error) {
      log.error({ err: error }, "the look for a rebuild failed");
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
    async recover() {
      try {
        await lock.run(() => reopenUnfinished(deps), { waitMs: 0 });
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "locked") throw error;
      }
    },
    async close() {
      closing.abort(new Closing());
      clearTimeout(timer);
      await polling;
      await running;
      lock.close();
    },
  };
}
