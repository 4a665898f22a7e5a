import { AppError } from "../../../kit/errors.ts";
import { openLock, type ProcessLock } from "../../../platform/lock.ts";

/** What one process of an instance has at a time, from `begin` to `end` or to its death. */
export interface Tenure {
  /** Waits ten seconds for a process that is ending; throws `locked` then. Again changes nothing. */
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** The tenure that the lock at this path stands for; the file is made when it begins. */
export function makeTenure(file: string): Tenure {
  const ended = Promise.withResolvers<void>();
  let lock: ProcessLock | undefined;
  let held: Promise<void> | undefined;

  function begin(): Promise<void> {
    const begun = Promise.withResolvers<void>();
    lock = openLock(file);
    held = lock.hold(async () => {
      begun.resolve();
      await ended.promise;
    });
    held.catch((cause: unknown) => {
      const isLocked = cause instanceof AppError && cause.code === "locked";
      const message = "Another web process of this instance is running: stop that one first.";
      begun.reject(isLocked ? new AppError("locked", message, { cause }) : cause);
    });
    return begun.promise;
  }

  let begun: Promise<void> | undefined;
  return {
    begin: () => (begun ??= begin()),
    async end() {
      ended.resolve();
      await Promise.allSettled([held]);
      lock?.close();
      lock = undefined;
    },
  };
}
