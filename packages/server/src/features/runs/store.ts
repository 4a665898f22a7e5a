import { type Selectable, sql } from "kysely";
import { AppError } from "../../kit/errors.ts";
import { cleanText } from "../../kit/text.ts";
import { ulidPattern } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Run, RunStatus } from "./schema.ts";

interface RunTable {
  id: string;
  kind: Run["kind"];
  mode: Run["mode"];
  instruction: string;
  page_url: string | null;
  restored_run_id: string | null;
  status: RunStatus;
  model: string;
  actor: string;
  steps: number;
  input_tokens: number;
  output_tokens: number;
  cost: number | null;
  base_commit: string | null;
  commit_sha: string | null;
  release_number: number | null;
  files_changed: string;
  diff: string;
  message: string;
  summary: string;
  error: string | null;
  changelog: string | null;
  artifact_sha: string | null;
  artifact_stats: string | null;
  workspace_tree: string | null;
  snapshot_hash: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** A run without its patches, which only one response needs. */
export type RunRow = Omit<Selectable<RunTable>, "diff">;
export type NewRun = Pick<
  RunRow,
  | "id"
  | "kind"
  | "mode"
  | "instruction"
  | "page_url"
  | "restored_run_id"
  | "status"
  | "model"
  | "actor"
  | "created_at"
> &
  Partial<Pick<RunRow, "base_commit" | "workspace_tree">>;
export type RunPatch = Partial<Omit<RunTable, "id" | "kind" | "mode" | "created_at">>;

const columns = [
  "id",
  "kind",
  "mode",
  "instruction",
  "page_url",
  "restored_run_id",
  "status",
  "model",
  "actor",
  "steps",
  "input_tokens",
  "output_tokens",
  "cost",
  "base_commit",
  "commit_sha",
  "release_number",
  "files_changed",
  "message",
  "summary",
  "error",
  "changelog",
  "artifact_sha",
  "artifact_stats",
  "workspace_tree",
  "snapshot_hash",
  "created_at",
  "started_at",
  "finished_at",
] as const satisfies readonly (keyof RunRow)[];

function tables(db: Db) {
  return db.withTables<{ run: RunTable }>();
}

/** Columns with text from people, models, and the output of builds. */
const textColumns = ["instruction", "message", "summary", "error"] as const;

/**
 * A row without control characters in its texts: PostgreSQL refuses NUL, and terminals interpret
 * the others.
 */
function cleanColumns<Row extends RunPatch>(row: Row): Row {
  const clean = { ...row };
  for (const name of textColumns) {
    const text = clean[name];
    if (typeof text === "string") clean[name] = cleanText(text, { multiline: true });
  }
  return clean;
}

export async function insertRun(db: Db, row: NewRun): Promise<void> {
  const counts = { steps: 0, input_tokens: 0, output_tokens: 0 };
  const texts = { files_changed: "[]", diff: "[]", message: "", summary: "" };
  await tables(db)
    .insertInto("run")
    .values({ ...cleanColumns(row), ...counts, ...texts })
    .execute();
}

export async function findRun(db: Db, id: string): Promise<RunRow | null> {
  const row = await tables(db)
    .selectFrom("run")
    .select(columns)
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** The run; throws `not_found` if there is none. */
export async function requireRun(db: Db, runId: string): Promise<RunRow> {
  const row = ulidPattern.test(runId) ? await findRun(db, runId) : null;
  if (!row) throw new AppError("not_found", "This run doesn't exist.");
  return row;
}

/** The JSON of a run's changes with their patches. */
export async function findDiff(db: Db, id: string): Promise<string> {
  const row = await tables(db)
    .selectFrom("run")
    .select("diff")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.diff ?? "[]";
}

/** The state of a run; null if there is none. */
export async function findStatus(db: Db, id: string): Promise<RunStatus | null> {
  const row = await tables(db)
    .selectFrom("run")
    .select("status")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.status ?? null;
}

/** A page of runs, newest first. */
export async function listRuns(
  db: Db,
  query: { page: number; perPage: number; status?: RunStatus | undefined },
): Promise<{ rows: RunRow[]; total: number }> {
  const base = tables(db)
    .selectFrom("run")
    .$if(query.status !== undefined, (q) => q.where("status", "=", query.status as RunStatus));
  const counted = await base.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await base
    .select(columns)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(query.perPage)
    .offset((query.page - 1) * query.perPage)
    .execute();
  return { rows, total: Number(counted.total) };
}

export async function listRunsByStatus(db: Db, statuses: readonly RunStatus[]): Promise<RunRow[]> {
  return tables(db)
    .selectFrom("run")
    .select(columns)
    .where("status", "in", statuses)
    .orderBy("created_at")
    .execute();
}

/** Whether any run is in one of these states. */
export async function hasRunWithStatus(db: Db, statuses: readonly RunStatus[]): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("run")
    .select("id")
    .where("status", "in", statuses)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The artifacts of runs in these states. */
export async function listArtifacts(db: Db, statuses: readonly RunStatus[]): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("run")
    .select("artifact_sha")
    .distinct()
    .where("status", "in", statuses)
    .where("artifact_sha", "is not", null)
    .execute();
  return rows.flatMap((row) => row.artifact_sha ?? []);
}

/** Changes a run without changing its state. */
export async function updateRun(
  db: Db,
  id: string,
  patch: Omit<RunPatch, "status">,
): Promise<void> {
  await tables(db).updateTable("run").set(cleanColumns(patch)).where("id", "=", id).execute();
}

/**
 * Changes a run only while it is in one of `from`: of concurrent callers, one wins. Returns whether
 * this one did.
 */
export async function compareAndSetStatus(
  db: Db,
  id: string,
  from: readonly RunStatus[],
  patch: RunPatch,
): Promise<boolean> {
  if (from.length === 0) return false;
  const result = await tables(db)
    .updateTable("run")
    .set(cleanColumns(patch))
    .where("id", "=", id)
    .where("status", "in", from)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Locks a run in one of these states until the transaction ends. Returns whether it is in one. */
export async function lockRun(
  transaction: Db,
  id: string,
  statuses: readonly RunStatus[],
): Promise<boolean> {
  const result = await tables(transaction)
    .updateTable("run")
    .set((eb) => ({ status: eb.ref("status") }))
    .where("id", "=", id)
    .where("status", "in", statuses)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}
