import type { QaOverview, TaskCounts } from "../api/types.ts";
import { useOverview } from "../features/qa/useOverview.ts";
import type { Badge } from "../features/tasks/counts.ts";
import { useTaskCounts } from "../features/tasks/task-api.ts";

/** Between two looks at QA while something else is shown, in ms. */
const aside = { running: 30_000, queued: 30_000, else: 30_000, hidden: false } as const;

/** What the console tells whatever it shows. */
export interface ConsoleNews {
  /** How many tasks are where; null while that is not known. */
  counts: TaskCounts | null;
  /** How many errors are open. */
  errors: Badge | null;
}

/** How many errors are open, to be told; null without any. */
function errorBadge(overview: QaOverview | undefined): Badge | null {
  const amount = overview?.open.error ?? 0;
  return amount === 0 ? null : { amount, words: amount === 1 ? "QA error" : "QA errors" };
}

/** What the queue and QA hold for the owner, looked at again and again, also while it is closed. */
export function useConsoleNews(): ConsoleNews {
  return { counts: useTaskCounts(), errors: errorBadge(useOverview(aside).data?.overview) };
}
