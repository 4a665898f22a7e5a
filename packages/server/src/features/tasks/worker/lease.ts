import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import { type ClaimKey, renewClaim } from "../queue/claim.ts";

/** The task no longer belongs to this worker, so it must change nothing more. */
export class ClaimLost extends Error {}

/** The runner is closing: the task is given back. */
export class WorkerClosing extends AppError {
  constructor() {
    super("unavailable", "The server is shutting down. Try again in a moment.");
  }
}

/** A claim while its holder works: it is renewed, and its loss is detected. */
export interface Lease {
  /**
   * Aborted with ClaimLost if the task was cancelled or taken away, or may have been because the database
   * couldn't be reached for so long, with WorkerClosing on shutdown.
   */
  signal: AbortSignal;
  /** Renews the claim now, which shows whether it is still valid. */
  renew(): Promise<void>;
  close(): void;
  /** Stops renewing. */
  end(): void;
}

/** Maintains a claim; `everyMs` is the renewal interval, `leaseMs` how long it is valid without. */
export function maintainLease(
  { db, log, everyMs, leaseMs }: { db: Db; log: Log; everyMs: number; leaseMs: number },
  key: ClaimKey,
): Lease {
  const controller = new AbortController();
  let ended = false;
  let failing = false;
  /** Renewals since the last one that succeeded. Unlike a time, a pause of this process adds none. */
  let missed = 0;
  const renew = async () => {
    try {
      const until = await renewClaim(db, key);
      failing = false;
      missed = 0;
      if (until === null && !ended) controller.abort(new ClaimLost());
    } catch (error) {
      // A database that is unavailable for a moment says nothing about the claim.
      if (!failing && !ended)
        log.warn({ err: error, taskId: key.taskId }, "a claim can't be renewed");
      failing = true;
    }
  };
  const timer = setInterval(() => {
    // Another worker may have it by now: working on would only cost money.
    if (missed * everyMs >= leaseMs) controller.abort(new ClaimLost());
    missed += 1;
    void renew();
  }, everyMs);
  return {
    signal: controller.signal,
    renew,
    close: () => controller.abort(new WorkerClosing()),
    end() {
      ended = true;
      clearInterval(timer);
    },
  };
}
