import { AppError } from "../../../kit/errors.ts";
import { openLock, type ProcessLock } from "../../../platform/lock.ts";

/** What one process of an instance has at a time, from `start` to `end` or to its death. */
export interface LibraryLock {
  /** Waits ten seconds for a process that is ending; throws `locked` then. Again changes nothing. */
  acquire(): Promise<void>;
  release(): Promise<void>;
}

/** The tenure that the lock at this path stands for; the file is made when it begins. */
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
