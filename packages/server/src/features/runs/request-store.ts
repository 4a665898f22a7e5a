import type { Db } from "../../platform/db/connect.ts";
import { activeStatuses } from "./run-status.ts";
import type { Attachment, PickedElement, Run, RunStatus } from "./schema.ts";

interface RunRequestTable {
  run_id: string;
  elements: string;
  attachments: string;
  origin_run_id: string | null;
  origin: "continue" | "reapply" | null;
  restore: "undo" | "version" | null;
  form: string | null;
}

/** What a form has requested instead of an instruction; `input` is specific to the form. */
export interface RunForm {
  name: string;
  input: unknown;
}

/** What a run was asked besides its instruction, and what it continues. */
export interface RunRequest {
  elements: PickedElement[];
  attachments: Attachment[];
  origin: Run["origin"];
  restore: RunRequestTable["restore"];
  /** Null for a run with an instruction. */
  form: RunForm | null;
}

/** A run with only an instruction. */
export const emptyRequest: RunRequest = {
  elements: [],
  attachments: [],
  origin: null,
  restore: null,
  form: null,
};

/**
 * Whether a run reads messages: only an agent with an instruction does. A form's edits are made
 * once, and a restore has nobody who reads.
 */
export function readsMessages(kind: Run["kind"], { form }: Pick<RunRequest, "form">): boolean {
  return kind === "edit" && form === null;
}

function tables(db: Db) {
  return db.withTables<{
    run_request: RunRequestTable;
    run: { id: string; status: RunStatus; created_at: string };
  }>();
}

function toRequest(row: RunRequestTable): RunRequest {
  return {
    elements: JSON.parse(row.elements) as PickedElement[],
    attachments: JSON.parse(row.attachments) as Attachment[],
    origin:
      row.origin_run_id === null || row.origin === null
        ? null
        : { runId: row.origin_run_id, kind: row.origin },
    restore: row.restore,
    form: row.form === null ? null : (JSON.parse(row.form) as RunForm),
  };
}

export async function insertRequest(db: Db, runId: string, request: RunRequest): Promise<void> {
  await tables(db)
    .insertInto("run_request")
    .values({
      run_id: runId,
      elements: JSON.stringify(request.elements),
      attachments: JSON.stringify(request.attachments),
      origin_run_id: request.origin?.runId ?? null,
      origin: request.origin?.kind ?? null,
      restore: request.restore,
      form: request.form && JSON.stringify(request.form),
    })
    .execute();
}

/** The requests of these runs; a run without a row has only an instruction. */
export async function listRequests(
  db: Db,
  runIds: readonly string[],
): Promise<Map<string, RunRequest>> {
  if (runIds.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("run_request")
    .selectAll()
    .where("run_id", "in", runIds)
    .execute();
  return new Map(rows.map((row) => [row.run_id, toRequest(row)]));
}

export async function findRequest(db: Db, runId: string): Promise<RunRequest> {
  return (await listRequests(db, [runId])).get(runId) ?? emptyRequest;
}

/** The unfinished run that continues this one; null if there is none. */
export async function findActiveSuccessor(db: Db, runId: string): Promise<string | null> {
  const row = await tables(db)
    .selectFrom("run_request")
    .innerJoin("run", "run.id", "run_request.run_id")
    .select("run.id")
    .where("run_request.origin_run_id", "=", runId)
    .where("run.status", "in", activeStatuses)
    .orderBy("run.created_at")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}
