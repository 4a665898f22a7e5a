import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { ClosedRun } from "../../runs/run-dependencies.ts";
import { markPublished } from "../queue/queue.ts";
import { endTaskOfRun, followSuccessor } from "./run-hooks-store.ts";

/** What tasks do when their runs end, wherever that was asked for. */
export interface TaskHooks {
  /** To be called in the transaction that makes a run published, after the run's own change. */
  onPublished(transaction: Db, published: { runId: string; commit: string }): Promise<void>;
  /** `RunDependencies.onRunClosed`. */
  onClosed(transaction: Db, closed: ClosedRun): Promise<void>;
}

/**
 * Keeps tasks true to their runs: one that is published, discarded or cancelled from the console
 * takes its task along, and one that another run takes the place of hands its task to that.
 */
export function makeTaskHooks({ clock }: { db: Db; clock: Clock }): TaskHooks {
  const now = () => isoTime(clock.now());
  return {
    onPublished: (trx, published) => markPublished(trx, published, now()),
    async onClosed(trx, { successor, ...closed }) {
      const { runId } = closed;
      if (successor === null) await endTaskOfRun(trx, { ...closed, at: now() });
      else await followSuccessor(trx, { runId, successor, at: now() });
    },
  };
}
