import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { newUlid, ulidPattern } from "../../../kit/ulid.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { lockState, removeLock, acquireLock, type HeldLock } from "../../../platform/lock.ts";
import type { Log } from "../../../platform/log.ts";
import { makeHeartbeat } from "./heartbeat.ts";
import { type LivenessWatch, makeLivenessWatch } from "./liveness-watch.ts";
import {
  deleteGoneRunners,
  deleteRunner,
  type RegisteredRunner,
  listRunners,
  listRunOwners,
  markRunnerGone,
  registerRunner,
} from "./store.ts";

export interface RegistryDependencies {
  db: Db;
  log: Log;
  /** Where the runners' lock files are: one folder for all runners of an instance. */
  dir: string;
  /** The port that this runner listens on. */
  port: number;
  /** Which machine this is, and which of its starts; read from the system by default. */
  host?: string;
  /** How often it says that it lives, in ms; 5,000 by default. */
  heartbeatMs?: number;
}

/**
 * Who works on this instance: each runner process says that it lives, and learns which others don't.
 *
 * Gone is who has no row; on this machine also who has lost its lock, which the kernel takes from a
 * dead process at once; else who has not been heard of for a minute. A runner that was taken for
 * gone and lives (it was suspended) notices at its next beat and goes on under its old id; what it
 * has lost meanwhile the states of its runs tell.
 */
export interface Registry {
  /** This runner. */
  id: string;
  /** Begins to say that this runner lives, and to watch the others. */
  start(): void;
  /** Whether a runner works no more. From then on it has to register anew to be taken for alive. */
  isGone(runnerId: string): Promise<boolean>;
  /** The runners that are written down and gone: what they worked on is nobody's. */
  listGone(): Promise<string[]>;
  /** Removes what is left of gone runners once all that they held is settled. */
  deleteGone(ids: readonly string[]): Promise<void>;
  /** Takes this runner's row and lock away: what it worked on is nobody's from then on. */
  close(): Promise<void>;
}

/** This machine and which of its starts: a process of an earlier one is dead whatever its pid. */
function thisHost(): string {
  try {
    return `${hostname()} ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`;
  } catch {
    // Without it a runner of an earlier start is judged by its lock, which is free then as well.
    return hostname();
  }
}

type LockDependencies = Pick<RegistryDependencies, "db" | "dir" | "log">;

/** Does something with a lock file; one that another user has made must not stand in the way. */
function tryLockFile<T>(
  { log }: LockDependencies,
  file: string,
  act: (file: string) => T,
): T | undefined {
  try {
    return act(file);
  } catch (error) {
    log.warn({ err: error, file }, "a runner's lock file can't be opened");
    return undefined;
  }
}

/** Removes the lock files that nobody holds and no row speaks of: their process was killed between. */
async function removeStrayLocks(deps: LockDependencies): Promise<void> {
  const { db, dir } = deps;
  const ids = (await readdir(dir)).flatMap((name) => {
    const id = name.replace(/\.lock$/, "");
    return id !== name && ulidPattern.test(id) ? [id] : [];
  });
  if (ids.length === 0) return;
  // Read after the files: a lock is taken before its row is written.
  const known = new Set((await listRunners(db)).map((runner) => runner.id));
  for (const id of ids) if (!known.has(id)) tryLockFile(deps, join(dir, `${id}.lock`), removeLock);
}

/** Whether a registered runner is gone; it is marked as such then. */
async function checkGone(
  deps: LockDependencies,
  own: { id: string; host: string },
  watch: LivenessWatch,
  runner: RegisteredRunner,
): Promise<boolean> {
  if (runner.id === own.id) return false;
  if (runner.isGone) return true;
  const file = join(deps.dir, `${runner.id}.lock`);
  // Without its file only the beat can tell: somebody removed it by hand, or it is another folder's.
  const dead = runner.host === own.host && tryLockFile(deps, file, lockState) === "free";
  return (dead || watch.isSilent(runner)) && markRunnerGone(deps.db, runner);
}

/** A new runner's id with its lock. */
function takeNewId(lockOf: (id: string) => string): { id: string; lock: HeldLock } {
  for (;;) {
    const id = newUlid(Date.now());
    const lock = acquireLock(lockOf(id));
    // Null: another one took it for a stray in the moment in which it was made, and removes it.
    if (lock !== null) return { id, lock };
  }
}

/** Whether another runner, which lives, works or has worked on the run. */
export async function isOwnedByOther(
  { db, registry }: { db: Db; registry: Pick<Registry, "id" | "isGone"> },
  runId: string,
): Promise<boolean> {
  const owner = (await listRunOwners(db, [runId])).get(runId);
  if (owner === undefined || owner === registry.id) return false;
  return !(await registry.isGone(owner));
}

/** Registers this process as a runner of the instance. `start` begins its beats. */
export async function openRegistry(deps: RegistryDependencies): Promise<Registry> {
  const { db, dir, log, port, host = thisHost() } = deps;
  const lockOf = (id: string) => join(dir, `${id}.lock`);
  // The lock is there before anybody can learn of the runner: it is never seen without.
  const { id: newId, lock } = takeNewId(lockOf);
  const own = { id: newId, host };
  try {
    await removeStrayLocks(deps);
    await registerRunner(db, { ...own, pid: process.pid, port });
  } catch (error) {
    lock.release();
    throw error;
  }
  const watch = makeLivenessWatch();
  const heartbeats = makeHeartbeat(deps, { ...own, pid: process.pid, port }, watch);

  async function end(): Promise<void> {
    await heartbeats.close();
    try {
      await deleteRunner(db, own.id);
    } catch (error) {
      log.warn({ err: error }, "this runner's row stays; the others see by its lock that it ended");
    }
    lock.release();
  }
  let ending: Promise<void> | undefined;

  return {
    id: own.id,
    start: heartbeats.start,
    async isGone(runnerId) {
      if (runnerId === own.id) return false;
      const [runner] = await listRunners(db, runnerId);
      return runner === undefined || checkGone(deps, own, watch, runner);
    },
    async listGone() {
      const gone: string[] = [];
      for (const runner of await listRunners(db)) {
        if (await checkGone(deps, own, watch, runner)) gone.push(runner.id);
      }
      return gone;
    },
    async deleteGone(ids) {
      if (ids.length === 0) return;
      await deleteGoneRunners(db, ids);
      const back = new Set((await listRunners(db)).map((runner) => runner.id));
      for (const id of ids) if (!back.has(id)) tryLockFile(deps, lockOf(id), removeLock);
    },
    close: () => (ending ??= end()),
  };
}
