import type { User } from "../accounts/account.ts";
import type { Db } from "../../platform/db/connect.ts";
import {
  listBuilds,
  listProjectStates,
  type ProjectState,
  type StoredBuild,
} from "./build-store.ts";
import { invitedProjectIds } from "./invitation-store.ts";

/** The site's owner, or a user with an account. */
export type Viewer = { kind: "owner" } | { kind: "user"; user: User };

/** A build that a user may be served from, and which of its project pages. */
export interface OpenBuild {
  artifact: string;
  /** Slugs of its projects, mapped to the ID if the user may see the page, otherwise to null. */
  pages: ReadonlyMap<string, number | null>;
}

/** What a user may see at this moment. */
export interface Access {
  /** Published restricted projects, in the owner's order. */
  projects: ProjectState[];
  builds: OpenBuild[];
}

type CanView = (project: Pick<ProjectState, "id" | "audience">) => boolean;

async function visibility(db: Db, viewer: Viewer): Promise<CanView> {
  if (viewer.kind === "owner") return () => true;
  const { email, verified } = viewer.user;
  // An unconfirmed address opens nothing.
  const invited = new Set(await invitedProjectIds(db, verified ? email : ""));
  return ({ id, audience }) => audience !== "invited" || invited.has(id);
}

/**
 * A build mentions all its projects, so it is closed to users who may no longer see one of them.
 * Projects that were unpublished, deleted, or moved since the build have no page.
 */
function openBuild(
  build: StoredBuild,
  projectStates: ReadonlyMap<number, ProjectState>,
  hidden: ReadonlySet<number>,
): OpenBuild | null {
  if (build.artifact === null) return null;
  const ids = [...build.publicIds, ...build.projects.map(({ id }) => id)];
  if (hidden.size > 0 && ids.some((id) => hidden.has(id))) return null;
  const pages = new Map<string, number | null>();
  for (const { id, slug } of build.projects) {
    const now = projectStates.get(id);
    const isShown = now?.status === "published" && now.slug === slug;
    pages.set(slug, isShown ? id : null);
  }
  const isEmpty = pages.values().every((id) => id === null);
  return isEmpty ? null : { artifact: build.artifact, pages };
}

/** Reads what a user may see now; the queries are always the same. */
export async function readAccess(db: Db, viewer: Viewer): Promise<Access> {
  const builds = await listBuilds(db);
  const ids = builds.flatMap(({ projects }) => projects.map(({ id }) => id));
  const projectStates = await listProjectStates(db, ids);
  const canView = await visibility(db, viewer);
  const byId = new Map(projectStates.map((projectState) => [projectState.id, projectState]));
  const hidden = new Set(projectStates.filter((one) => !canView(one)).map(({ id }) => id));
  return {
    projects: projectStates.filter(
      (project) =>
        project.status === "published" && project.audience !== "everyone" && canView(project),
    ),
    builds: builds.flatMap((build) => openBuild(build, byId, hidden) ?? []),
  };
}
