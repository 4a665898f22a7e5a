import { isDeepStrictEqual } from "node:util";
import type { Db } from "../../../platform/db/connect.ts";
import { parseJson } from "../../../kit/json.ts";
import { type BriefedProject, type ProjectFields, projectSchema } from "../../projects/project.ts";
import { listAll } from "../../projects/store.ts";

/** What a project says, without its place and what the database keeps of it. */
function words(project: ProjectFields): Omit<ProjectFields, "position"> {
  const { position: _, ...fields } = projectSchema.strip().parse(project);
  return fields;
}

/**
 * The projects that are still exactly as the program ships them. `shipped` is the text of the
 * template's database/projects.json.
 */
export async function findSamples(db: Db, shipped: string): Promise<BriefedProject[]> {
  const { projects } = parseJson(shipped) as { projects: ProjectFields[] };
  const known = new Map(projects.map((project) => [project.slug, words(project)]));
  const stored = await listAll(db);
  return stored.filter((project) => {
    const sample = known.get(project.slug);
    return sample !== undefined && isDeepStrictEqual(sample, words(project));
  });
}
