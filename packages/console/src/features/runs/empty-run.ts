import type { LiveRun } from "./useRun.ts";

/**
 * The message instead of a finished run's steps if it has none; null if there are some or some may
 * follow. Old steps are deleted at some point, but never the run's record.
 */
export function emptyRunMessage(live: Pick<LiveRun, "run" | "view" | "connection">): string | null {
  const { run, view, connection } = live;
  if (connection !== "ended" || run === null || view.items.length > 0) return null;
  const worked = run.steps > 0 || run.filesChanged.length > 0;
  return worked || view.lastEventAt === 0
    ? "The steps of this run have been deleted."
    : "The run ended before its first step.";
}
