import type { Generated, Insertable, Selectable } from "kysely";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import type {
  ProjectWithBrief,
  Project,
  ProjectAudience,
  ProjectFields,
  ProjectStatus,
} from "./project.ts";
import { searchCategories, searchText } from "./search-text.ts";

type ProjectTables = {
  project: {
    id: Generated<number>;
    slug: string;
    name: string;
    status: ProjectStatus;
    summary: string;
    lede: string;
    body: string;
    kind: string;
    period: string;
    role: string;
    categories: string;
    stack: string;
    skills: string;
    metrics: string;
    gallery: string;
    reel_url: string | null;
    position: number;
    version: Generated<number>;
    created_at: string;
    updated_at: string;
  };
  project_brief: { project_id: number; text: string };
  /** No row means everyone. */
  project_audience: { project_id: number; audience: Exclude<ProjectAudience, "everyone"> };
  project_media: { project_id: number; media_id: number };
  project_redirect: { slug: string; project_id: number; created_at: string };
  project_search: { project_id: number; text: string; categories: string };
};

/** ISO 8601 UTC. */
export interface ProjectTimes {
  createdAt: string;
  updatedAt: string;
}

type ProjectRow = ProjectTables["project"];

/** The tables of projects, shared by the stores in this folder. */
export function tables(db: Db) {
  return db.withTables<ProjectTables>();
}

/** The columns that a save writes; everything else is written separately. */
function toRow(project: ProjectFields) {
  return {
    slug: project.slug,
    name: project.name,
    status: project.status,
    summary: project.summary,
    lede: project.lede,
    body: project.body,
    kind: project.kind,
    period: project.period,
    role: project.role,
    categories: JSON.stringify(project.categories),
    stack: JSON.stringify(project.stack),
    skills: JSON.stringify(project.skills),
    metrics: JSON.stringify(project.metrics),
    gallery: JSON.stringify(project.gallery),
    reel_url: project.reelUrl,
  } satisfies Partial<Insertable<ProjectRow>>;
}

type StoredProject = Selectable<ProjectRow> & {
  audience: ProjectTables["project_audience"]["audience"] | null;
};

function fromRow(row: StoredProject): Project {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    status: row.status,
    audience: row.audience ?? "everyone",
    summary: row.summary,
    lede: row.lede,
    body: row.body,
    kind: row.kind,
    period: row.period,
    role: row.role,
    categories: parseJson(row.categories) as Project["categories"],
    stack: parseJson(row.stack) as Project["stack"],
    skills: parseJson(row.skills) as Project["skills"],
    metrics: parseJson(row.metrics) as Project["metrics"],
    gallery: parseJson(row.gallery) as Project["gallery"],
    reelUrl: row.reel_url,
    position: row.position,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

async function writeSearched(db: Db, id: number, project: ProjectFields): Promise<void> {
  const searched = { text: searchText(project), categories: searchCategories(project) };
  await tables(db)
    .insertInto("project_search")
    .values({ project_id: id, ...searched })
    .onConflict((conflict) => conflict.column("project_id").doUpdateSet(searched))
    .execute();
}

async function writeBrief(db: Db, id: number, text: string): Promise<void> {
  if (text === "") {
    await tables(db).deleteFrom("project_brief").where("project_id", "=", id).execute();
    return;
  }
  await tables(db)
    .insertInto("project_brief")
    .values({ project_id: id, text })
    .onConflict((conflict) => conflict.column("project_id").doUpdateSet({ text }))
    .execute();
}

async function writeAudience(db: Db, id: number, audience: ProjectAudience): Promise<void> {
  if (audience === "everyone") {
    await tables(db).deleteFrom("project_audience").where("project_id", "=", id).execute();
    return;
  }
  await tables(db)
    .insertInto("project_audience")
    .values({ project_id: id, audience })
    .onConflict((conflict) => conflict.column("project_id").doUpdateSet({ audience }))
    .execute();
}

/** Replaces the recorded media uses of a project with these media IDs. */
export async function writeUses(db: Db, id: number, mediaIds: Iterable<number>): Promise<void> {
  await tables(db).deleteFrom("project_media").where("project_id", "=", id).execute();
  const rows = [...new Set(mediaIds)].map((media_id) => ({ project_id: id, media_id }));
  if (rows.length > 0) await tables(db).insertInto("project_media").values(rows).execute();
}

/**
 * Inserts a project with its search text; `writeUses` stores its media. Returns its ID, null if its
 * slug is taken.
 */
export async function insertProject(
  db: Db,
  project: ProjectFields,
  { createdAt, updatedAt }: ProjectTimes,
): Promise<number | null> {
  const times = { created_at: createdAt, updated_at: updatedAt };
  const row = await tables(db)
    .insertInto("project")
    .values({ ...toRow(project), position: project.position, ...times })
    .onConflict((conflict) => conflict.column("slug").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (row === undefined) return null;
  await writeSearched(db, row.id, project);
  if (project.brief !== "") await writeBrief(db, row.id, project.brief);
  if (project.audience !== "everyone") await writeAudience(db, row.id, project.audience);
  return row.id;
}

/**
 * Updates a project and increments its version, if it is still at `project.version`; otherwise
 * false. Its position stays. A taken slug violates the table's constraint.
 */
export async function updateProject(
  db: Db,
  project: ProjectWithBrief,
  updatedAt: string,
): Promise<boolean> {
  const { id, version } = project;
  const result = await tables(db)
    .updateTable("project")
    .set({ ...toRow(project), version: version + 1, updated_at: updatedAt })
    .where("id", "=", id)
    .where("version", "=", version)
    .executeTakeFirst();
  if (Number(result.numUpdatedRows) === 0) return false;
  await writeSearched(db, id, project);
  await writeBrief(db, id, project.brief);
  await writeAudience(db, id, project.audience);
  return true;
}

/** Deletes a project, if it is at `version` in case one is given; false if nothing was deleted. */
export async function deleteProject(
  db: Db,
  which: { id: number; version?: number | undefined },
): Promise<boolean> {
  let query = tables(db).deleteFrom("project").where("id", "=", which.id);
  if (which.version !== undefined) query = query.where("version", "=", which.version);
  return Number((await query.executeTakeFirst()).numDeletedRows) > 0;
}

function stored(db: Db) {
  return tables(db)
    .selectFrom("project")
    .leftJoin("project_audience", "project_audience.project_id", "project.id")
    .selectAll("project")
    .select("project_audience.audience");
}

function withBrief(db: Db) {
  return stored(db)
    .leftJoin("project_brief", "project_brief.project_id", "project.id")
    .select("project_brief.text as brief");
}

function fromRowWithBrief(row: StoredProject & { brief: string | null }): ProjectWithBrief {
  return { ...fromRow(row), brief: row.brief ?? "" };
}

/** A project by its ID or its current slug. */
export async function findProject(
  db: Db,
  which: { id: number } | { slug: string },
): Promise<ProjectWithBrief | null> {
  const query =
    "id" in which
      ? withBrief(db).where("project.id", "=", which.id)
      : withBrief(db).where("project.slug", "=", which.slug);
  const row = await query.executeTakeFirst();
  return row === undefined ? null : fromRowWithBrief(row);
}

/** Every project, whatever its status, by ID. */
export async function listAll(db: Db): Promise<ProjectWithBrief[]> {
  const rows = await withBrief(db).orderBy("project.id").execute();
  return rows.map(fromRowWithBrief);
}

/** Name and slug of every project, whatever its status, by ID. */
export async function listNames(db: Db): Promise<{ id: number; name: string; slug: string }[]> {
  return tables(db).selectFrom("project").select(["id", "name", "slug"]).orderBy("id").execute();
}

/** All published projects, whatever their audience, in the owner's order. */
export async function listPublished(db: Db): Promise<Project[]> {
  const rows = await stored(db)
    .where("project.status", "=", "published")
    .orderBy("project.position")
    .orderBy("project.id")
    .execute();
  return rows.map(fromRow);
}

/** The restricted projects, whatever their status, by ID. */
export async function listRestricted(db: Db): Promise<Project[]> {
  const rows = await stored(db)
    .where("project_audience.audience", "is not", null)
    .orderBy("project.id")
    .execute();
  return rows.map(fromRow);
}

/** Old slugs with the current slugs that they redirect to, for published projects or for all. */
export async function listRedirects(
  db: Db,
  of: "published" | "all" = "published",
): Promise<{ from: string; to: string }[]> {
  const rows = await tables(db)
    .selectFrom("project_redirect")
    .innerJoin("project", "project.id", "project_redirect.project_id")
    .select(["project_redirect.slug as from", "project.slug as to"])
    .$if(of === "published", (query) => query.where("project.status", "=", "published"))
    .execute();
  return rows.toSorted((a, b) => (a.from < b.from ? -1 : 1));
}
