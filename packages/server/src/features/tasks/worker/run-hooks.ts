import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { ClosedRun } from "../../runs/run-dependencies.ts";
import { markPublished } from "../queue/queue.ts";
import { endTaskOfRun, followSuccessor } from "./run-hooks-store.ts";

/** What happens to tasks when their runs end, whoever requested it. */
export interface TaskHooks {
  /** Call in the transaction that marks a run as published, after the run's own change. */
  onPublished(transaction: Db, published: { runId: string; commit: string }): Promise<void>;
  /** `RunDependencies.onRunClosed`. */
  onClosed(transaction: Db, closed: ClosedRun): Promise<void>;
}

/**
 * Keeps tasks consistent with their runs: a run that is published, discarded, or cancelled from the
 * console ends its task, and a replaced run passes its task to its successor.
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
