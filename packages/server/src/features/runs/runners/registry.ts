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
  /** The folder of the runners' lock files, shared by all runners of an instance. */
  dir: string;
  /** The port that this runner listens on. */
  port: number;
  /** Identifies the machine and its boot; by default read from the system. */
  host?: string;
  /** The interval of heartbeats, in ms; defaults to 5,000. */
  heartbeatMs?: number;
}

/**
 * The runners of this instance: each one reports that it is alive, and learns which others are
 * gone.
 * Gone is a runner without a row; on this machine, also one that has lost its lock, which the
 * kernel releases immediately at its death; otherwise one that has been silent for a minute. A live
 * runner that was presumed gone (because it was suspended) notices at its next heartbeat and
 * continues under its old ID; the states of its runs show what it has lost in the meantime.
 */
export interface Registry {
  /** This runner. */
  id: string;
  /** Starts sending heartbeats and watching the others. */
  start(): void;
  /** Whether a runner is gone. From then on, it has to register again to count as alive. */
  isGone(runnerId: string): Promise<boolean>;
  /** Registered runners that are gone: their work has no owner. */
  listGone(): Promise<string[]>;
  /** Removes what is left of gone runners, after everything they held has been recovered. */
  deleteGone(ids: readonly string[]): Promise<void>;
  /** Removes this runner's row and lock: its work has no owner from then on. */
  close(): Promise<void>;
}

/** This machine and its boot: a process from an earlier boot is dead whatever its PID. */
function thisHost(): string {
  try {
    return `${hostname()} ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`;
  } catch {
    // Without it, a runner of an earlier boot is judged by its lock, which is free then as well.
    return hostname();
  }
}

type LockDependencies = Pick<RegistryDependencies, "db" | "dir" | "log">;

/** Uses a lock file; one created by another user must not get in the way. */
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

/** Removes lock files without a holder and a row: their process was killed in between. */
async function removeStrayLocks(deps: LockDependencies): Promise<void> {
  const { db, dir } = deps;
  const ids = (await readdir(dir)).flatMap((name) => {
    const id = name.replace(/\.lock$/, "");
    return id !== name && ulidPattern.test(id) ? [id] : [];
  });
  if (ids.length === 0) return;
  // Read after the files, because a lock is acquired before its row is inserted.
  const known = new Set((await listRunners(db)).map((runner) => runner.id));
  for (const id of ids) if (!known.has(id)) tryLockFile(deps, join(dir, `${id}.lock`), removeLock);
}

/** Whether a registered runner is gone; it is then marked as such. */
async function checkGone(
  deps: LockDependencies,
  own: { id: string; host: string },
  watch: LivenessWatch,
  runner: RegisteredRunner,
): Promise<boolean> {
  if (runner.id === own.id) return false;
  if (runner.isGone) return true;
  const file = join(deps.dir, `${runner.id}.lock`);
  // Without its file, only the heartbeat can tell: it was removed manually, or belongs to another
  // folder.
  const dead = runner.host === own.host && tryLockFile(deps, file, lockState) === "free";
  return (dead || watch.isSilent(runner)) && markRunnerGone(deps.db, runner);
}

/** A new runner's ID with its lock. */
function takeNewId(lockOf: (id: string) => string): { id: string; lock: HeldLock } {
  for (;;) {
    const id = newUlid(Date.now());
    const lock = acquireLock(lockOf(id));
    // Null: another runner treated it as a leftover at the moment of its creation and removes it.
    if (lock !== null) return { id, lock };
  }
}

/** Whether another live runner owns or owned the run. */
export async function isOwnedByOther(
  { db, registry }: { db: Db; registry: Pick<Registry, "id" | "isGone"> },
  runId: string,
): Promise<boolean> {
  const owner = (await listRunOwners(db, [runId])).get(runId);
  if (owner === undefined || owner === registry.id) return false;
  return !(await registry.isGone(owner));
}

/** Registers this process as a runner of the instance. `start` begins sending heartbeats. */
export async function openRegistry(deps: RegistryDependencies): Promise<Registry> {
  const { db, dir, log, port, host = thisHost() } = deps;
  const lockOf = (id: string) => join(dir, `${id}.lock`);
  // The lock exists before anybody can see the runner, so it is never seen without one.
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
      log.warn(
        { err: error },
        "couldn't delete this runner's row; other runners will notice its released lock",
      );
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
