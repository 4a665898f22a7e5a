import type { Db } from "../../platform/db/connect.ts";
import {
  listBuilds,
  listProjectStates,
  type ProjectState,
  type StoredBuild,
} from "./build-store.ts";
import { countByProject } from "./user-store.ts";
import type { MemberBuild, MemberProject } from "./schema.ts";

/** The name of the build that contains a project. */
export function buildName({ id, audience }: Pick<ProjectState, "id" | "audience">): string {
  return audience === "members" ? "members" : `project-${id}`;
}

function stateOf(project: ProjectState, build: StoredBuild | undefined): MemberBuild {
  const { builtAt = null, error = null } = build ?? {};
  if (project.status !== "published") return { status: "none", builtAt: null, error: null };
  if (error !== null) return { status: "failed", builtAt, error };
  const built = build?.projects.find(({ id }) => id === project.id);
  const isPresent = built?.version === project.version && builtAt !== null;
  return { status: isPresent ? "ready" : "pending", builtAt: built ? builtAt : null, error: null };
}

/** The restricted projects in the owner's order, with the status of their builds. */
export async function readProjects(db: Db): Promise<MemberProject[]> {
  const builds = new Map((await listBuilds(db)).map((build) => [build.name, build]));
  const { invited, opened } = await countByProject(db);
  return (await listProjectStates(db, [])).flatMap((project) => {
    const { id, slug, name, status, audience } = project;
    if (audience === "everyone") return [];
    const counts = { invited: invited.get(id) ?? 0, opened: opened.get(id) ?? 0 };
    const build = stateOf(project, builds.get(buildName(project)));
    return [{ id, slug, name, status, audience, ...counts, build }];
  });
}
