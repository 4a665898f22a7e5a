import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import type { BoardColumn, TaskListQuery, TaskStatus } from "./schema.ts";
import { type TaskRow, tables } from "./store.ts";
import { columnOf } from "./task.ts";

/** How many tasks a column of the board shows. */
const shownPerColumn = 50;

/** How many tasks wait for a worker, are worked on, and wait for a person. */
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

/** One page of tasks. */
export async function listTasks(
  db: Db,
  query: TaskListQuery,
): Promise<{ rows: TaskRow[]; total: number }> {
  const { status, kind, findingId } = query;
  let base = tables(db).selectFrom("task");
  if (status !== undefined) base = base.where("status", "in", status);
  if (kind !== undefined) base = base.where("kind", "=", kind);
  if (findingId !== undefined) base = base.where("finding_id", "=", findingId);
  const counted = await base.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const ordered =
    query.sort === "queue"
      ? base.orderBy("priority", "desc").orderBy("id")
      : base.orderBy("updated_at", "desc").orderBy("id", "desc");
  const rows = await ordered
    .selectAll()
    .limit(query.perPage)
    .offset((query.page - 1) * query.perPage)
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

/** The columns of the board in order, each with its first tasks: what is next, then the newest. */
export async function boardRows(db: Db): Promise<BoardRows[]> {
  return Promise.all(
    columns.map(async (column) => {
      const sort = column === "queued" ? "queue" : "newest";
      const query = { page: 1, perPage: shownPerColumn, status: statusesOf(column), sort } as const;
      const { total, rows } = await listTasks(db, query);
      return { column, total, rows };
    }),
  );
}
