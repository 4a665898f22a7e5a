import type { Run } from "../../api/types.ts";

/** A change of the site with its runs, newest first. */
export interface Change {
  run: Run;
  earlier: Run[];
}

/** Groups runs that continue each other, in the order of each group's newest run. */
export function groupRuns(runs: readonly Run[]): Change[] {
  const known = new Map(runs.map((run) => [run.id, run]));
  const taken = new Set(runs.flatMap((run) => (run.origin === null ? [] : [run.origin.runId])));
  return runs
    .filter((run) => !taken.has(run.id))
    .map((run) => {
      const earlier: Run[] = [];
      let origin = run.origin && known.get(run.origin.runId);
      while (origin && !earlier.includes(origin)) {
        earlier.push(origin);
        origin = origin.origin && known.get(origin.origin.runId);
      }
      return { run, earlier };
    });
}
