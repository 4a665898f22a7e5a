import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import { type ClaimKey, renewClaim } from "../queue/claim.ts";

/** The task is somebody else's by now, or nobody's: whoever worked on it changes nothing more. */
export class ClaimLost extends Error {}

/** The runner is being shut down: the task goes back. */
export class WorkerClosing extends AppError {
  constructor() {
    super("unavailable", "The server is being stopped.");
  }
}

/** A claim while its holder works: kept alive, and the first to know that it is lost. */
export interface Lease {
  /** Aborted with ClaimLost when the task was cancelled or taken away, with Closing for a shutdown. */
  signal: AbortSignal;
  /** Renews the claim now, which shows whether it is still good. */
  renew(): Promise<void>;
  close(): void;
  /** Ends the renewals. */
  end(): void;
}

/** Holds a claim; `everyMs` is how often it is renewed. */
export function maintainLease(
  { db, log, everyMs }: { db: Db; log: Log; everyMs: number },
  key: ClaimKey,
): Lease {
  const controller = new AbortController();
  let ended = false;
  let failing = false;
  const renew = async () => {
    try {
      const until = await renewClaim(db, key);
      failing = false;
      if (until === null && !ended) controller.abort(new ClaimLost());
    } catch (error) {
      // A database that is away for a moment says nothing about the claim.
      if (!failing && !ended)
        log.warn({ err: error, taskId: key.taskId }, "a claim can't be renewed");
      failing = true;
    }
  };
  const timer = setInterval(() => void renew(), everyMs);
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
