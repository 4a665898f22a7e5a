import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { BoardColumn, TaskListQuery, TaskStatus } from "../schema.ts";
import { type TaskRow, tables } from "../store.ts";
import { columnOf } from "../task.ts";

/** Maximum tasks in a column of the board. */
const maxTasksPerColumn = 50;

/** The number of waiting and running tasks, and of those that need review. */
export async function countTasks(
  db: Db,
): Promise<{ queued: number; running: number; needsReview: number }> {
  const rows = await tables(db)
    .selectFrom("task")
    .select(["status", sql<number>`count(*)`.as("number")])
    .where("status", "in", ["queued", "claimed", "building", "needs_review"])
    .groupBy("status")
    .execute();
  const of = (...statuses: TaskStatus[]) =>
    rows
      .filter(({ status }) => statuses.includes(status))
      .reduce((sum, { number }) => sum + Number(number), 0);
  return {
    queued: of("queued"),
    running: of("claimed", "building"),
    needsReview: of("needs_review"),
  };
}

type Filter = Pick<TaskListQuery, "status" | "kind" | "findingId">;

function matching(db: Db, { status, kind, findingId }: Filter) {
  let base = tables(db).selectFrom("task");
  const [first, ...others] = status ?? [];
  if (first !== undefined) {
    // A single state is a literal, so that the query uses the index of queued tasks.
    base =
      others.length === 0
        ? base.where("status", "=", sql.lit(first))
        : base.where("status", "in", [first, ...others]);
  }
  if (kind !== undefined) base = base.where("kind", "=", kind);
  return findingId === undefined ? base : base.where("finding_id", "=", findingId);
}

const orders: Readonly<Record<TaskListQuery["sort"], ReturnType<typeof sql>>> = {
  queue: sql`priority desc, id`,
  newest: sql`updated_at desc, id desc`,
};

/** A page of tasks. IDs are selected first, because whole tasks are long and slow to sort. */
export async function listTasks(
  db: Db,
  query: TaskListQuery,
): Promise<{ rows: TaskRow[]; total: number }> {
  const base = matching(db, query);
  const counted = await base.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const page = base
    .select("id")
    .orderBy(orders[query.sort])
    .limit(query.perPage)
    .offset((query.page - 1) * query.perPage);
  const rows = await tables(db)
    .selectFrom("task")
    .selectAll()
    .where("id", "in", page)
    .orderBy(orders[query.sort])
    .execute();
  return { rows, total: Number(counted.total) };
}

export interface BoardRows {
  column: BoardColumn;
  total: number;
  rows: TaskRow[];
}

const columns: readonly BoardColumn[] = ["queued", "running", "needs_review", "published", "ended"];

const statusesOf = (column: BoardColumn): TaskStatus[] =>
  (Object.keys(columnOf) as TaskStatus[]).filter((status) => columnOf[status] === column);

/** The first tasks of a column by ID, with the column's name and size. */
function firstOf(db: Db, column: BoardColumn) {
  const all = matching(db, { status: statusesOf(column) });
  const first = all
    .select([
      "id",
      sql<number>`${sql.lit(columns.indexOf(column))}`.as("place"),
      all.select(sql<number>`count(*)`.as("total")).as("total"),
    ])
    .orderBy(orders[column === "queued" ? "queue" : "newest"])
    .limit(maxTasksPerColumn);
  return tables(db).selectFrom(first.as("first")).selectAll();
}

/**
 * The columns of the board in order with their first tasks: next ones first, otherwise newest
 * first. One statement, so that a task that moves in the meantime is in exactly one column.
 */
export async function boardRows(db: Db): Promise<BoardRows[]> {
  const [queued, ...others] = columns.map((column) => firstOf(db, column));
  if (!queued) return [];
  const shown = others.reduce((all, one) => all.unionAll(one), queued);
  const found = await tables(db)
    .selectFrom("task")
    .innerJoin(shown.as("shown"), "shown.id", "task.id")
    .selectAll("task")
    .select(["shown.place", "shown.total"])
    .orderBy("shown.place")
    .orderBy(sql`case when shown.place = 0 then task.priority end desc`)
    .orderBy(sql`case when shown.place = 0 then task.id end`)
    .orderBy("task.updated_at", "desc")
    .orderBy("task.id", "desc")
    .execute();
  return columns.map((column, index) => {
    const here = found.filter(({ place }) => Number(place) === index);
    const rows = here.map(({ place: _place, total: _total, ...row }): TaskRow => row);
    return { column, total: Number(here[0]?.total ?? 0), rows };
  });
}
