import { type Generated, type Insertable, type Selectable, sql } from "kysely";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { BriefedProject, Project, ProjectFields, ProjectStatus } from "./project.ts";
import { searchedCategories, searchedText } from "./searched.ts";

export type ProjectTables = {
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
  project_media: { project_id: number; media_id: number };
  project_redirect: { slug: string; project_id: number; created_at: string };
  project_search: { project_id: number; text: string; categories: string };
};

/** ISO 8601 UTC. */
interface ProjectTimes {
  createdAt: string;
  updatedAt: string;
}

type ProjectRow = ProjectTables["project"];

function tables(db: Db) {
  return db.withTables<ProjectTables>();
}

/** The columns that a save writes; places and times have writers of their own. */
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

function fromRow(row: Selectable<ProjectRow>): Project {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    status: row.status,
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
  const searched = { text: searchedText(project), categories: searchedCategories(project) };
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

/** Makes the files that a project uses these, by the ids of their media. */
export async function writeUses(db: Db, id: number, mediaIds: Iterable<number>): Promise<void> {
  await tables(db).deleteFrom("project_media").where("project_id", "=", id).execute();
  const rows = [...new Set(mediaIds)].map((media_id) => ({ project_id: id, media_id }));
  if (rows.length > 0) await tables(db).insertInto("project_media").values(rows).execute();
}

/**
 * Stores a new project with what the search reads of it; its uses of media are `writeUses`'. Gives
 * its id, null when its slug is taken.
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
  return row.id;
}

/**
 * Stores a changed project under the next version, if it still is at `project.version`; false when
 * it is not. Its place stays as it is. A slug that is taken breaks the table's own rule.
 */
export async function updateProject(
  db: Db,
  project: BriefedProject,
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
  return true;
}

/** Removes a project, if it is at `version` where one is given; false when nothing was removed. */
export async function deleteProject(
  db: Db,
  which: { id: number; version?: number | undefined },
): Promise<boolean> {
  let query = tables(db).deleteFrom("project").where("id", "=", which.id);
  if (which.version !== undefined) query = query.where("version", "=", which.version);
  return Number((await query.executeTakeFirst()).numDeletedRows) > 0;
}

function briefed(db: Db) {
  return tables(db)
    .selectFrom("project")
    .leftJoin("project_brief", "project_brief.project_id", "project.id")
    .selectAll("project")
    .select("project_brief.text as brief");
}

function fromBriefedRow(row: Selectable<ProjectRow> & { brief: string | null }): BriefedProject {
  return { ...fromRow(row), brief: row.brief ?? "" };
}

/** One project by its id or by its present slug. */
export async function findProject(
  db: Db,
  which: { id: number } | { slug: string },
): Promise<BriefedProject | null> {
  const query =
    "id" in which
      ? briefed(db).where("project.id", "=", which.id)
      : briefed(db).where("project.slug", "=", which.slug);
  const row = await query.executeTakeFirst();
  return row === undefined ? null : fromBriefedRow(row);
}

/** Every project, whatever its status, by id. */
export async function listAll(db: Db): Promise<BriefedProject[]> {
  const rows = await briefed(db).orderBy("project.id").execute();
  return rows.map(fromBriefedRow);
}

/** What the public sees, in the owner's order. */
export async function listPublished(db: Db): Promise<Project[]> {
  const rows = await tables(db)
    .selectFrom("project")
    .selectAll()
    .where("status", "=", "published")
    .orderBy("position")
    .orderBy("id")
    .execute();
  return rows.map(fromRow);
}

/** The id of the project that has this slug now. */
export async function holderOfSlug(db: Db, slug: string): Promise<number | null> {
  const row = await tables(db)
    .selectFrom("project")
    .select("id")
    .where("slug", "=", slug)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The slugs with this beginning that lead somewhere: to a project, or on to its present slug. */
export async function takenSlugs(db: Db, stem: string): Promise<Set<string>> {
  const found = await tables(db)
    .selectFrom("project")
    .select("slug")
    .where("slug", "like", `${stem}%`)
    .union(
      tables(db).selectFrom("project_redirect").select("slug").where("slug", "like", `${stem}%`),
    )
    .execute();
  return new Set(found.map((row) => row.slug));
}

/** Lets an old slug lead to a project; one that led elsewhere leads here from now on. */
export async function writeRedirect(
  db: Db,
  redirect: { slug: string; projectId: number; at: string },
): Promise<void> {
  await tables(db)
    .insertInto("project_redirect")
    .values({ slug: redirect.slug, project_id: redirect.projectId, created_at: redirect.at })
    .onConflict((conflict) =>
      conflict.column("slug").doUpdateSet({ project_id: redirect.projectId }),
    )
    .execute();
}

/** Ends a redirect: a project has its slug now. */
export async function dropRedirect(db: Db, slug: string): Promise<void> {
  await tables(db).deleteFrom("project_redirect").where("slug", "=", slug).execute();
}

/** Old slugs and the present slugs they lead to, of published projects, or of all. */
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

/** The place behind all that are taken. */
export async function endPlace(db: Db): Promise<number> {
  const row = await tables(db)
    .selectFrom("project")
    .select((expression) => expression.fn.max("position").as("last"))
    .executeTakeFirst();
  return row?.last === null || row?.last === undefined ? 0 : row.last + 1;
}

/** Holds others off who would change the order too, until the end of the transaction. */
export async function holdOrder(db: Db): Promise<void> {
  // A row that is written is locked, in PostgreSQL; SQLite lets no second writer in anyway.
  await tables(db)
    .updateTable("project")
    .set((expression) => ({ position: expression.ref("position") }))
    .where("id", "=", (expression) =>
      expression.selectFrom("project").select((inner) => inner.fn.min("id").as("first")),
    )
    .execute();
}

/** The places of these projects, by id. */
export async function findPlaces(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await tables(db)
    .selectFrom("project")
    .select(["id", "position"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row.position]));
}

/** Gives each project a place of its own where two share one; their order stays. */
export async function separatePlaces(db: Db): Promise<void> {
  const shared = await tables(db)
    .selectFrom("project")
    .select("position")
    .groupBy("position")
    .having((expression) => expression.fn.countAll(), ">", 1)
    .limit(1)
    .executeTakeFirst();
  if (shared === undefined) return;
  await sql`update project set position = ranked.place
    from (select id, row_number() over (order by position, id) - 1 as place from project) as ranked
    where ranked.id = project.id and project.position <> ranked.place`.execute(db);
}

/** Puts projects into places. */
export async function writePlaces(db: Db, places: ReadonlyMap<number, number>): Promise<void> {
  const all = [...places];
  for (let i = 0; i < all.length; i += 500) {
    const rows = all
      .slice(i, i + 500)
      .map(([id, place]) => sql`(cast(${id} as integer), cast(${place} as integer))`);
    await sql`update project set position = given.column2
      from (values ${sql.join(rows)}) as given where given.column1 = project.id`.execute(db);
  }
}
