import type { Limits } from "../../../platform/config.ts";
import { workerJob, WorkerFailure } from "../../../platform/worker-pool.ts";
import type { canExecuteInstructions } from "../../agent/literal/literal-worker.ts";
import type { AgentProject } from "../../agent/records.ts";
import { runFieldsOf } from "../../projects/run-changes/change.ts";
import { projectPath } from "../../release/export.ts";
import type { FindingRow } from "../findings/store.ts";
import { evidenceOf } from "../fix/evidence.ts";
import { type DescribedImage, exactRepair } from "../fix/repair.ts";
import { findSources, type FindSourcesDependencies } from "./find-sources.ts";
import type { FindingSource } from "./finding-source.ts";
import type { IndexedRecords, PublicRecords } from "./record-place.ts";

export interface AssessDependencies extends FindSourcesDependencies {
  /** The content repository. */
  contentDir: string;
  limits: Limits["workspace"];
}

/** How a finding could be fixed. */
export interface Assessment {
  /** Where its target can be edited; null if unclear. */
  source: FindingSource | null;
  /** The instruction for the literal editor, tested on the current site; null for none. */
  repair: string | null;
}

/** Determines how findings could be fixed, by their IDs. Read-only. */
export type Assess = (rows: readonly FindingRow[]) => Promise<Map<number, Assessment>>;

const tryJob = workerJob<typeof canExecuteInstructions>(
  new URL("../../agent/literal/literal-worker.ts", import.meta.url),
  "canExecuteInstructions",
  60_000,
);

/** The image that a finding is about, if it belongs to a record. */
function imageOf(
  row: FindingRow,
  source: FindingSource | null,
  { byId, bodies, media }: IndexedRecords,
): DescribedImage | null {
  if (source?.kind !== "record") return null;
  const address = evidenceOf(row)["src"] ?? row.target;
  const item = typeof address === "string" ? media.get(address) : undefined;
  const project = byId.get(source.projectId);
  const body = bodies.get(source.projectId);
  if (item === undefined || project === undefined || body === undefined) return null;
  const { src, alt } = item;
  const shown = [...body.images, ...project.gallery];
  const present = shown.flatMap((image) =>
    image.src === src ? [image.alt ?? "", "caption" in image ? image.caption : ""] : [],
  );
  return { page: projectPath(project.slug), src, alt, present };
}

/** The public projects in the form the literal editor uses. */
function toAgentProjects({ projects }: PublicRecords): AgentProject[] {
  return projects.map((project) => {
    const { status, audience } = project;
    return { ...runFieldsOf(project), status, audience };
  });
}

/** Which of these instructions can be executed on the current site. */
async function findPossible(
  { workers, contentDir, limits }: AssessDependencies,
  records: PublicRecords,
  instructions: readonly string[],
): Promise<Set<string>> {
  if (instructions.length === 0) return new Set();
  const input = { root: contentDir, limits, records: toAgentProjects(records), instructions };
  try {
    const results = await workers.run(tryJob, input);
    return new Set(instructions.filter((_, index) => results[index]));
  } catch (error) {
    // Instructions that can't be tested in time aren't promised.
    if (error instanceof WorkerFailure) return new Set();
    throw error;
  }
}

/** Creates the function that determines how findings could be fixed. */
export function makeAssess(deps: AssessDependencies): Assess {
  return async (rows) => {
    const { sources, records } = await findSources(deps, rows);
    const repairs = new Map(
      rows.map((row) => {
        const source = sources.get(row.id) ?? null;
        return [row.id, exactRepair(row, imageOf(row, source, records))];
      }),
    );
    const wanted = [...new Set([...repairs.values()].filter((text) => text !== null))];
    const possible = await findPossible(deps, records, wanted);
    return new Map(
      rows.map(({ id }) => {
        const repair = repairs.get(id) ?? null;
        const isPossible = repair !== null && possible.has(repair);
        return [id, { source: sources.get(id) ?? null, repair: isPossible ? repair : null }];
      }),
    );
  };
}
