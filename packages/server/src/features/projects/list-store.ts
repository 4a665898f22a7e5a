import { sql } from "kysely";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Project, ProjectAudience, ProjectStatus } from "./project.ts";
import { quotedCategory } from "./search-text.ts";
import type { ProjectSort } from "./schema.ts";
import { tables } from "./store.ts";

/** Filters a list of projects; the words are folded. */
export interface ProjectFilter {
  words: readonly string[];
  status?: ProjectStatus | undefined;
  audience?: ProjectAudience | undefined;
  category?: string | undefined;
}

export type ListedProject = Pick<
  Project,
  | "id"
  | "slug"
  | "name"
  | "status"
  | "audience"
  | "summary"
  | "kind"
  | "period"
  | "categories"
  | "gallery"
  | "position"
  | "version"
  | "updatedAt"
>;

function isSearch({ words, category }: ProjectFilter): boolean {
  return words.length > 0 || category !== undefined;
}

/** The narrow rows that contain the words, folded like these, and the category. */
function searched(db: Db, { words, category }: ProjectFilter) {
  let query = tables(db).selectFrom("project_search");
  for (const word of words) {
    const pattern = `%${word.replace(/[!%_]/g, "!$&")}%`;
    query = query.where(sql<boolean>`project_search.text like ${pattern} escape '!'`);
  }
  if (category === undefined) return query;
  // Case-sensitive, unlike `like` in one of the databases.
  const whole = sql.ref("project_search.categories");
  return query.where(sql<boolean>`replace(${whole}, ${quotedCategory(category)}, '') <> ${whole}`);
}

/** Whether a project has the status and audience of a filter. */
function inState({ status, audience }: ProjectFilter) {
  const of = sql`select audience from project_audience where project_id = project.id`;
  const isStatus = status === undefined ? sql`1 = 1` : sql`project.status = ${status}`;
  const isAudience =
    audience === undefined
      ? sql`1 = 1`
      : sql`coalesce((${of}), 'everyone') = cast(${audience} as text)`;
  return sql<boolean>`(${isStatus} and ${isAudience})`;
}

function searchedInState(db: Db, filter: ProjectFilter) {
  return searched(db, filter)
    .innerJoin("project", "project.id", "project_search.project_id")
    .where(inState(filter));
}

function allInState(db: Db, filter: ProjectFilter) {
  return tables(db).selectFrom("project").where(inState(filter));
}

const orders = {
  position: [["project.position", "asc"]],
  name: [["project_search.text", "asc"]],
  updated: [["project.updated_at", "desc"]],
} as const;

interface Slice {
  sort: ProjectSort;
  limit: number;
  offset: number;
}

async function count(db: Db, filter: ProjectFilter): Promise<number> {
  const number = sql<number>`count(*)`.as("number");
  const ofAll = filter.status === undefined && filter.audience === undefined;
  const narrow = ofAll ? searched(db, filter) : searchedInState(db, filter);
  const query = isSearch(filter) ? narrow.select(number) : allInState(db, filter).select(number);
  return Number((await query.executeTakeFirstOrThrow()).number);
}

/** The IDs of one page, in order. */
async function findPage(db: Db, filter: ProjectFilter, slice: Slice): Promise<number[]> {
  const [[column, direction]] = orders[slice.sort];
  const narrow = isSearch(filter) || slice.sort === "name";
  const query = narrow
    ? searchedInState(db, filter).select("project.id")
    : allInState(db, filter).select("project.id");
  const rows = await query
    .orderBy(sql.ref(column), direction)
    .orderBy(sql.ref("project.id"), direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
  return rows.map((row) => row.id);
}

async function findListed(db: Db, ids: readonly number[]): Promise<ListedProject[]> {
  if (ids.length === 0) return [];
  const rows = await tables(db)
    .selectFrom("project")
    .leftJoin("project_audience", "project_audience.project_id", "project.id")
    .select(["id", "slug", "name", "status", "summary", "kind", "period", "categories", "gallery"])
    .select(["position", "version", "updated_at as updatedAt", "project_audience.audience"])
    .where("id", "in", ids)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    if (row === undefined) return [];
    const categories = parseJson(row.categories) as Project["categories"];
    const gallery = parseJson(row.gallery) as Project["gallery"];
    return [{ ...row, audience: row.audience ?? "everyone", categories, gallery }];
  });
}

/**
 * A page of matching projects, `limit` of them after `offset`, and the total number of matches.
 * Only the page's own rows are read completely.
 */
export async function listProjects(
  db: Db,
  filter: ProjectFilter,
  slice: Slice,
): Promise<{ items: ListedProject[]; total: number }> {
  const total = await count(db, filter);
  const ids = total > slice.offset ? await findPage(db, filter, slice) : [];
  return { items: await findListed(db, ids), total };
}

/** The number of projects by status. */
export async function countStatuses(db: Db): Promise<Record<ProjectStatus, number>> {
  const rows = await tables(db)
    .selectFrom("project")
    .select(["status", (expression) => expression.fn.countAll<number>().as("count")])
    .groupBy("status")
    .execute();
  const counts = { draft: 0, published: 0, archived: 0 };
  for (const row of rows) counts[row.status] = Number(row.count);
  return counts;
}

/** The number of projects by category. */
export async function countCategories(db: Db): Promise<Map<string, number>> {
  const rows = await tables(db)
    .selectFrom("project_search")
    .select(["categories", (expression) => expression.fn.countAll<number>().as("count")])
    .groupBy("categories")
    .execute();
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const name of new Set(parseJson(row.categories) as string[])) {
      counts.set(name, (counts.get(name) ?? 0) + Number(row.count));
    }
  }
  return counts;
}
