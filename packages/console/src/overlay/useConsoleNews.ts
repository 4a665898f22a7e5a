import type { QaOverview, TaskCounts } from "../api/types.ts";
import { useOverview } from "../features/qa/useOverview.ts";
import type { Badge } from "../features/tasks/counts.ts";
import { useTaskCounts } from "../features/tasks/task-api.ts";

/** Polling intervals of QA while something else is shown, in ms. */
const aside = { running: 30_000, queued: 30_000, else: 30_000, hidden: false } as const;

/** News shown in every view of the console. */
export interface ConsoleNews {
  /** The number of tasks by place; null while unknown. */
  counts: TaskCounts | null;
  /** The number of open errors. */
  errors: Badge | null;
}

/** The badge with the number of open errors; null without any. */
function errorBadge(overview: QaOverview | undefined): Badge | null {
  const amount = overview?.open.error ?? 0;
  return amount === 0 ? null : { count: amount, label: amount === 1 ? "QA error" : "QA errors" };
}

/** What the queue and QA have for the owner, polled even while the console is closed. */
export function useConsoleNews(): ConsoleNews {
  return { counts: useTaskCounts(), errors: errorBadge(useOverview(aside).data?.overview) };
}
