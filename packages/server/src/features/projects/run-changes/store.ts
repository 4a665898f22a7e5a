import { parseJson } from "../../../kit/json.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { tables as projectTables } from "../store.ts";
import { type RecordChange, wholeProject } from "./change.ts";

interface RunRecordChangeTable {
  run_id: string;
  record: string;
  project_id: number | null;
  field: string;
  before_value: string;
  after_value: string;
  changed_at: string;
}

function tables(db: Db) {
  return db.withTables<{
    run_record_change: RunRecordChangeTable;
    publish_intent: { run_id: string; state: string };
    run: { id: string; status: string; release_number: number | null };
  }>();
}

function fromRow(row: RunRecordChangeTable): RecordChange {
  return {
    record: row.record,
    projectId: row.project_id,
    field: row.field as RecordChange["field"],
    before: parseJson(row.before_value),
    after: parseJson(row.after_value),
    changedAt: row.changed_at,
  };
}

/** A run's record changes, by record and field. */
export async function listChanges(db: Db, runId: string): Promise<RecordChange[]> {
  const rows = await tables(db)
    .selectFrom("run_record_change")
    .selectAll()
    .where("run_id", "=", runId)
    .orderBy("record")
    .orderBy("field")
    .execute();
  return rows.map(fromRow);
}

/** Stores a change and replaces the run's earlier one of the same field. */
export async function putChange(db: Db, runId: string, change: RecordChange): Promise<void> {
  const values = {
    project_id: change.projectId,
    before_value: JSON.stringify(change.before),
    after_value: JSON.stringify(change.after),
    changed_at: change.changedAt,
  };
  await tables(db)
    .insertInto("run_record_change")
    .values({ run_id: runId, record: change.record, field: change.field, ...values })
    .onConflict((conflict) => conflict.columns(["run_id", "record", "field"]).doUpdateSet(values))
    .execute();
}

/** Drops a run's change. */
export async function deleteChange(
  db: Db,
  runId: string,
  { record, field }: Pick<RecordChange, "record" | "field">,
): Promise<void> {
  await tables(db)
    .deleteFrom("run_record_change")
    .where("run_id", "=", runId)
    .where("record", "=", record)
    .where("field", "=", field)
    .execute();
}

/** Copies the changes of another run, whose work this run continues. */
export async function copyChanges(db: Db, from: string, to: string): Promise<void> {
  for (const change of await listChanges(db, from)) await putChange(db, to, change);
}

/**
 * The fields of a project that a publish is about to write, or has written to the site but not to
 * the record yet; `*` for the whole project.
 */
export async function listReservedFields(db: Db, projectId: number): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("run_record_change")
    .innerJoin("publish_intent", "publish_intent.run_id", "run_record_change.run_id")
    .select("run_record_change.field")
    .where("run_record_change.project_id", "=", projectId)
    .where("publish_intent.state", "!=", "done")
    .execute();
  return rows.map(({ field }) => field);
}

/** The IDs of undecided runs whose changes would make a project show a stored file. */
export async function listRunsUsing(db: Db, src: string): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("run")
    .innerJoin("run_record_change", "run_record_change.run_id", "run.id")
    .select(["run.id", "run_record_change.after_value"])
    .where("run.status", "in", ["queued", "running", "building", "preview_ready", "publishing"])
    .where("run_record_change.field", "in", ["gallery", "body", wholeProject])
    .execute();
  const using = rows.filter(({ after_value }) => after_value.includes(src));
  return [...new Set(using.map(({ id }) => id))];
}

/** Runs with record changes that were published after a release, newest first. */
export async function listRunsPublishedAfter(db: Db, release: number): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("run")
    .select("id")
    .where("status", "=", "published")
    .where("release_number", ">", release)
    .where("id", "in", (eb) => eb.selectFrom("run_record_change").select("run_id"))
    .orderBy("release_number", "desc")
    .execute();
  return rows.map(({ id }) => id);
}

/** Locks a project until the end of the transaction. */
export async function lockProject(db: Db, id: number): Promise<void> {
  // Writing a row locks it in PostgreSQL; SQLite has only one writer at a time.
  await projectTables(db)
    .updateTable("project")
    .set((expression) => ({ version: expression.ref("version") }))
    .where("id", "=", id)
    .execute();
}
