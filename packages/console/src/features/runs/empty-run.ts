import type { LiveRun } from "./useRun.ts";

/**
 * What is said in place of the steps of a run that is over and shows none; null where there are
 * some, or where some may come. Old steps are dropped some day, their run's record never.
 */
export function emptyRunMessage(live: Pick<LiveRun, "run" | "view" | "connection">): string | null {
  const { run, view, connection } = live;
  if (connection !== "ended" || run === null || view.items.length > 0) return null;
  const worked = run.steps > 0 || run.filesChanged.length > 0;
  return worked || view.lastEventAt === 0
    ? "The steps of this run have been deleted."
    : "The run ended before its first step.";
}
