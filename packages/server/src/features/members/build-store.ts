import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { ProjectAudience, ProjectStatus } from "../projects/project.ts";

interface MembersBuildRow {
  name: string;
  input_hash: string;
  projects: string;
  public_ids: string;
  artifact: string | null;
  built_at: string | null;
  error: string | null;
  failed_at: string | null;
}

type Tables = {
  members_build: MembersBuildRow;
  project: {
    id: number;
    slug: string;
    name: string;
    status: ProjectStatus;
    version: number;
    position: number;
  };
  project_audience: { project_id: number; audience: Exclude<ProjectAudience, "everyone"> };
};

/** A restricted project as shown in a build. */
export interface MembersBuildProject {
  id: number;
  slug: string;
  version: number;
}

/** A build that is served only after checking access. Times are ISO 8601 UTC. */
export interface StoredBuild {
  name: string;
  /** A hash of its input; "" before the first build. */
  inputHash: string;
  projects: MembersBuildProject[];
  /** IDs of the unrestricted projects in it. */
  publicIds: number[];
  artifact: string | null;
  builtAt: string | null;
  /** Why the last attempt failed; null if it succeeded. */
  error: string | null;
  failedAt: string | null;
}

function tables(db: Db) {
  return db.withTables<Tables>();
}

/** All builds, `members` first. */
export async function listBuilds(db: Db): Promise<StoredBuild[]> {
  const rows = await tables(db).selectFrom("members_build").selectAll().orderBy("name").execute();
  return rows.map((row) => ({
    name: row.name,
    inputHash: row.input_hash,
    projects: parseJson(row.projects) as MembersBuildProject[],
    publicIds: parseJson(row.public_ids) as number[],
    artifact: row.artifact,
    builtAt: row.built_at,
    error: row.error,
    failedAt: row.failed_at,
  }));
}

/** The artifacts that builds are served from. */
export async function membersArtifacts(db: Db): Promise<string[]> {
  const rows = await tables(db).selectFrom("members_build").select("artifact").execute();
  return rows.flatMap(({ artifact }) => artifact ?? []);
}

/** Whether there is a build or will be one. */
export async function hasMembersPages(db: Db): Promise<boolean> {
  const restricted = tables(db).selectFrom("project_audience").select("project_id").limit(1);
  const built = tables(db).selectFrom("members_build").select("name").limit(1);
  return (
    (await restricted.executeTakeFirst()) !== undefined ||
    (await built.executeTakeFirst()) !== undefined
  );
}

/** Replaces a build's artifact. `builtAt` is ISO 8601 UTC. */
export async function saveBuild(
  db: Db,
  build: Pick<StoredBuild, "name" | "inputHash" | "projects" | "publicIds"> & {
    artifact: string;
    builtAt: string;
  },
): Promise<void> {
  const made = {
    input_hash: build.inputHash,
    projects: JSON.stringify(build.projects),
    public_ids: JSON.stringify(build.publicIds),
    artifact: build.artifact,
    built_at: build.builtAt,
    error: null,
    failed_at: null,
  };
  await tables(db)
    .insertInto("members_build")
    .values({ name: build.name, ...made })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(made))
    .execute();
}

/** Stores that a build failed; the previous one stays. */
export async function saveBuildFailure(
  db: Db,
  failure: { name: string; error: string; failedAt: string },
): Promise<void> {
  const failed = { error: failure.error, failed_at: failure.failedAt };
  const none = { input_hash: "", projects: "[]", public_ids: "[]", artifact: null, built_at: null };
  await tables(db)
    .insertInto("members_build")
    .values({ name: failure.name, ...none, ...failed })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(failed))
    .execute();
}

/** Clears the failure of a build whose input is again what it was at its last success. */
export async function clearBuildFailure(db: Db, name: string): Promise<void> {
  await tables(db)
    .updateTable("members_build")
    .set({ error: null, failed_at: null })
    .where("name", "=", name)
    .execute();
}

export async function deleteBuild(db: Db, name: string): Promise<void> {
  await tables(db).deleteFrom("members_build").where("name", "=", name).execute();
}

/** The current state of a project. */
export interface ProjectState {
  id: number;
  slug: string;
  name: string;
  status: ProjectStatus;
  audience: ProjectAudience;
  version: number;
}

/** The states of all restricted projects, and of those with these IDs. */
export async function listProjectStates(db: Db, ids: readonly number[]): Promise<ProjectState[]> {
  const rows = await tables(db)
    .selectFrom("project")
    .leftJoin("project_audience", "project_audience.project_id", "project.id")
    .select(["project.id", "slug", "name", "status", "version", "audience"])
    .where((eb) =>
      eb.or([
        eb("audience", "is not", null),
        ...(ids.length === 0 ? [] : [eb("project.id", "in", ids)]),
      ]),
    )
    .orderBy("project.position")
    .orderBy("project.id")
    .execute();
  return rows.map(({ id, slug, name, status, version, audience }) => {
    return { id, slug, name, status, version, audience: audience ?? "everyone" };
  });
}

/** The IDs of the projects that are published for everyone. */
export async function publicIds(db: Db): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom("project")
    .leftJoin("project_audience", "project_audience.project_id", "project.id")
    .select("project.id")
    .where("status", "=", "published")
    .where("audience", "is", null)
    .execute();
  return rows.map((row) => row.id);
}

/** Why a members' build failed; null if none did. */
export async function membersBuildError(db: Db): Promise<string | null> {
  const row = await tables(db)
    .selectFrom("members_build")
    .select("error")
    .where("error", "is not", null)
    .orderBy("name")
    .limit(1)
    .executeTakeFirst();
  return row?.error ?? null;
}
