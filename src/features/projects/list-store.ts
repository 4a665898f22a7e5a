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

function matching(db: Db, { words, status, category }: ProjectFilter, sort?: ProjectSort) {
  let query = tables(db).selectFrom("project");
  if (status !== undefined) query = query.where("project.status", "=", status);
  if (words.length === 0 && category === undefined && sort !== "name") return query;
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

/** The ids of one page, in order. */
async function findPage(
  db: Db,
  filter: ProjectFilter,
  page: { sort: ProjectSort; limit: number; offset: number },
): Promise<number[]> {
  const [[column, direction]] = orders[page.sort];
  const rows = await matching(db, filter, page.sort)
    .select("project.id")
    .orderBy(sql.ref(column), direction)
    .orderBy("project.id", direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map((row) => row.id);
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
  page: { sort: ProjectSort; limit: number; offset: number },
): Promise<{ items: ListedProject[]; total: number }> {
  const { total } = await matching(db, filter)
    .select((expression) => expression.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const ids = await findPage(db, filter, page);
  return { items: await findListed(db, ids), total: Number(total) };
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
