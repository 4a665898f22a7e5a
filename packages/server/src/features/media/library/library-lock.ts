import { AppError } from "../../../kit/errors.ts";
import { openLock, type ProcessLock } from "../../../platform/lock.ts";

/** A lock that one process of an instance holds from `start` to `end` or its death. */
export interface LibraryLock {
  /** Waits up to ten seconds for a process that is ending, then throws `locked`. Idempotent. */
  acquire(): Promise<void>;
  release(): Promise<void>;
}

/** The lock at this path; the file is created when it is first acquired. */
export function makeLibraryLock(file: string): LibraryLock {
  const ended = Promise.withResolvers<void>();
  let lock: ProcessLock | undefined;
  let holding: Promise<void> | undefined;

  function start(): Promise<void> {
    const acquired = Promise.withResolvers<void>();
    lock = openLock(file);
    holding = lock.run(async () => {
      acquired.resolve();
      await ended.promise;
    });
    holding.catch((cause: unknown) => {
      const isLocked = cause instanceof AppError && cause.code === "locked";
      const message = "Another web process of this instance is running: stop that one first.";
      acquired.reject(isLocked ? new AppError("locked", message, { cause }) : cause);
    });
    return acquired.promise;
  }

  let acquired: Promise<void> | undefined;
  return {
    acquire: () => (acquired ??= start()),
    async release() {
      ended.resolve();
      await Promise.allSettled([holding]);
      lock?.close();
      lock = undefined;
    },
  };
}
