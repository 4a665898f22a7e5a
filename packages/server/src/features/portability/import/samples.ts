import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../../kit/json.ts";
import {
  type ProjectWithBrief,
  type ProjectFields,
  projectSchema,
} from "../../projects/project.ts";

/** A project's content, without its position and the database's own columns. */
function textsOf(project: ProjectFields): Omit<ProjectFields, "position"> {
  const { position: _, ...fields } = projectSchema.strip().parse(project);
  return fields;
}

/**
 * The `stored` projects that are still exactly as the program ships them. `shipped` is the text of the
 * template's database/projects.json.
 */
export function findSamples(
  stored: readonly ProjectWithBrief[],
  shipped: string,
): ProjectWithBrief[] {
  const { projects } = parseJson(shipped) as { projects: ProjectFields[] };
  const shippedBySlug = new Map(projects.map((project) => [project.slug, textsOf(project)]));
  return stored.filter((project) => {
    const sample = shippedBySlug.get(project.slug);
    return sample !== undefined && isDeepStrictEqual(sample, textsOf(project));
  });
}
