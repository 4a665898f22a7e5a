import { sql } from "kysely";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Project, ProjectStatus } from "./project.ts";
import { quotedCategory } from "./searched.ts";
import type { ProjectSort } from "./schema.ts";
import type { ProjectTables } from "./store.ts";

/** Which projects a list is about; the words are folded. */
export interface ProjectFilter {
  words: readonly string[];
  status?: ProjectStatus | undefined;
  category?: string | undefined;
}

export type ListedProject = Pick<
  Project,
  | "id"
  | "slug"
  | "name"
  | "status"
  | "summary"
  | "kind"
  | "period"
  | "categories"
  | "gallery"
  | "position"
  | "version"
  | "updatedAt"
>;

function tables(db: Db) {
  return db.withTables<ProjectTables>();
}

/** Whether a column has a text in it, letter for letter: what `like` makes of it, databases differ. */
function containing(column: string, text: string) {
  const whole = sql.ref(column);
  return sql<boolean>`replace(${whole}, ${text}, '') <> ${whole}`;
}

function isSearch({ words, category }: ProjectFilter): boolean {
  return words.length > 0 || category !== undefined;
}

function matching(db: Db, filter: ProjectFilter, sort?: ProjectSort) {
  const { words, status, category } = filter;
  let query = tables(db).selectFrom("project");
  if (status !== undefined) query = query.where("project.status", "=", status);
  if (!isSearch(filter) && sort !== "name") return query;
  let searched = query.innerJoin("project_search", "project_search.project_id", "project.id");
  for (const word of words) searched = searched.where(containing("project_search.text", word));
  if (category === undefined) return searched;
  return searched.where(containing("project_search.categories", quotedCategory(category)));
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

function inOrder(db: Db, filter: ProjectFilter, { sort, limit, offset }: Slice) {
  const [[column, direction]] = orders[sort];
  return matching(db, filter, sort)
    .select("project.id")
    .orderBy(sql.ref(column), direction)
    .orderBy("project.id", direction)
    .limit(limit)
    .offset(offset);
}

async function count(db: Db, filter: ProjectFilter): Promise<number> {
  const { total } = await matching(db, filter)
    .select((expression) => expression.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** The ids of one page, in order, and how many there are in all. */
async function findPage(
  db: Db,
  filter: ProjectFilter,
  slice: Slice,
): Promise<{ ids: number[]; total: number }> {
  const page = inOrder(db, filter, slice);
  if (!isSearch(filter)) {
    const rows = await page.execute();
    return { ids: rows.map((row) => row.id), total: await count(db, filter) };
  }
  // Every text is read once, for the page and the number.
  const rows = await page.select(sql<number>`count(*) over ()`.as("total")).execute();
  const beyond = rows.length === 0 && slice.offset > 0;
  const total = beyond ? await count(db, filter) : Number(rows[0]?.total ?? 0);
  return { ids: rows.map((row) => row.id), total };
}

async function findListed(db: Db, ids: readonly number[]): Promise<ListedProject[]> {
  if (ids.length === 0) return [];
  const rows = await tables(db)
    .selectFrom("project")
    .select(["id", "slug", "name", "status", "summary", "kind", "period", "categories", "gallery"])
    .select(["position", "version", "updated_at as updatedAt"])
    .where("id", "in", ids)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    if (row === undefined) return [];
    const categories = parseJson(row.categories) as Project["categories"];
    const gallery = parseJson(row.gallery) as Project["gallery"];
    return [{ ...row, categories, gallery }];
  });
}

/**
 * One page of the projects that match, `limit` of them after `offset`, and how many match in all.
 * Only the page's own rows are read whole.
 */
export async function listProjects(
  db: Db,
  filter: ProjectFilter,
  slice: Slice,
): Promise<{ items: ListedProject[]; total: number }> {
  const { ids, total } = await findPage(db, filter, slice);
  return { items: await findListed(db, ids), total };
}

/** How many projects are in each state. */
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

/** How many projects are in each category. */
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
