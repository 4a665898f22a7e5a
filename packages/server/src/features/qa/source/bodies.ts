import { workerJob, WorkerFailure, type WorkerPool } from "../../../platform/worker-pool.ts";
import type { Project } from "../../projects/project.ts";
import type { Body, parseBodies } from "./bodies-worker.ts";

export type { Body };

/** Maximum characters of Markdown in one job, unless a single text is longer. */
const maxJobText = 500_000;

const parseBodiesJob = workerJob<typeof parseBodies>(
  new URL("./bodies-worker.ts", import.meta.url),
  "parseBodies",
);

function groupByLength(projects: readonly Project[]): Project[][] {
  const groups: Project[][] = [];
  let length = Infinity;
  for (const project of projects) {
    length += project.body.length;
    if (length > maxJobText) {
      groups.push([]);
      length = project.body.length;
    }
    groups.at(-1)?.push(project);
  }
  return groups;
}

/**
 * Parses the texts of projects in worker threads, each once.
 * @returns the links and images of each text by project ID, without texts that can't be parsed in
 * time
 */
export async function readBodies(
  workers: WorkerPool,
  projects: readonly Project[],
): Promise<Map<number, Body>> {
  const bodies = new Map<number, Body>();
  for (const group of groupByLength(projects)) {
    const texts = group.map(({ body }) => body);
    try {
      // oxlint-disable-next-line no-await-in-loop -- a group at a time: others wait for the same threads
      const parsed = await workers.run(parseBodiesJob, { texts });
      for (const [index, body] of parsed.entries()) {
        const project = group[index];
        if (project !== undefined) bodies.set(project.id, body);
      }
    } catch (error) {
      if (!(error instanceof WorkerFailure)) throw error;
    }
  }
  return bodies;
}
