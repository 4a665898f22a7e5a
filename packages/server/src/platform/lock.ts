import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { AppError } from "../kit/errors.ts";

/** A lock between all processes of this machine; the kernel releases it when its holder dies. */
export interface ProcessLock {
  /**
   * Runs a task while holding the lock; others wait, in order within this process. Throws `locked`
   * if the lock isn't available within `waitMs` (defaults to 10,000), and the reason of `signal`,
   * which ends the wait. Not reentrant.
   */
  run<T>(
    task: () => Promise<T>,
    options?: { waitMs?: number; signal?: AbortSignal | undefined },
  ): Promise<T>;
  close(): void;
}

const pollMs = 5;
const sqliteBusy = 5;
const sqliteCantOpen = 14;

function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) % 256;
}

function tryLock(database: DatabaseSync): boolean {
  try {
    // There is nothing to roll back; otherwise, every use would create and remove a journal file.
    database.exec("pragma journal_mode = memory; begin exclusive");
    return true;
  } catch (error) {
    if (primaryCode(error) === sqliteBusy) return false;
    throw error;
  }
}

/** Until when to wait for the lock: by `performance.now`, or until this is aborted. */
interface LockDeadline {
  deadline: number;
  signal: AbortSignal | undefined;
}

/**
 * Opens the lock at this path; the file is created and stays empty. Node can't lock files, but
 * SQLite can: an exclusive transaction that writes nothing is exactly the operating system's lock,
 * so stale locks can't exist. The path must be on a local disk.
 */
export function openLock(file: string): ProcessLock {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 0 });
  let queue: Promise<unknown> = Promise.resolve();

  async function acquire({ deadline, signal }: LockDeadline): Promise<void> {
    signal?.throwIfAborted();
    while (!tryLock(database)) {
      if (performance.now() >= deadline) {
        throw new AppError("locked", "Another process is working here. Try again in a moment.");
      }
      // Waiting inside SQLite would block the event loop.
      await delay(pollMs);
      signal?.throwIfAborted();
    }
  }

  async function inTurn<T>(
    before: Promise<unknown>,
    lockDeadline: LockDeadline,
    task: () => Promise<T>,
  ) {
    await waitFor(before, lockDeadline);
    await acquire(lockDeadline);
    try {
      return await task();
    } finally {
      database.exec("rollback");
    }
  }

  return {
    run(task, { waitMs = 10_000, signal } = {}) {
      const before = queue;
      const result = inTurn(before, { deadline: performance.now() + waitMs, signal }, task);
      queue = Promise.allSettled([before, result]);
      return result;
    },
    close: () => database.close(),
  };
}

async function waitFor(
  before: Promise<unknown>,
  { deadline, signal }: LockDeadline,
): Promise<void> {
  const timer = new AbortController();
  const ends = AbortSignal.any(signal ? [timer.signal, signal] : [timer.signal]);
  const late = delay(Math.max(0, deadline - performance.now()), "late", { signal: ends });
  const outcome = await Promise.race([before, late.catch(() => "ended")]);
  timer.abort();
  signal?.throwIfAborted();
  if (outcome === "late") {
    throw new AppError("locked", "Another task is running here. Try again in a moment.");
  }
}

/** A lock that is held until it is released, or until the process dies. */
export interface HeldLock {
  /** Removes the file and releases the lock; idempotent. */
  release(): void;
}

/**
 * Acquires the lock at this path for the lifetime of the process; the file is created. Null while
 * another process holds it. Starts over if the file is removed in the meantime (removeLock).
 */
export function acquireLock(file: string): HeldLock | null {
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    const database = new DatabaseSync(file, { timeout: 0 });
    const taken = tryLock(database);
    if (taken && existsSync(file)) {
      return {
        release() {
          if (!database.isOpen) return;
          rmSync(file, { force: true });
          database.close();
        },
      };
    }
    database.close();
    if (!taken && existsSync(file)) return null;
  }
}

/** Opens an existing lock file; null if there is none. */
function openExisting(file: string): DatabaseSync | null {
  const address = pathToFileURL(file);
  address.searchParams.set("mode", "rw");
  try {
    return new DatabaseSync(address, { timeout: 0 });
  } catch (error) {
    if (primaryCode(error) === sqliteCantOpen && !existsSync(file)) return null;
    throw error;
  }
}

/** Whether somebody holds the lock at this path. `missing`: there is no such file. */
export function lockState(file: string): "held" | "free" | "missing" {
  const database = openExisting(file);
  if (database === null) return "missing";
  try {
    return tryLock(database) ? "free" : "held";
  } finally {
    database.close();
  }
}

/** Removes the file of a lock that nobody holds; otherwise does nothing. */
export function removeLock(file: string): void {
  const database = openExisting(file);
  if (database === null) return;
  try {
    // Held while it is removed, so that nobody can acquire a lock on a removed file.
    if (tryLock(database)) rmSync(file, { force: true });
  } finally {
    database.close();
  }
}
