import type { Db } from "../../../platform/db/connect.ts";
import { compareChanges } from "../../projects/run-changes/publish-changes.ts";
import { resolveConflict } from "../../projects/run-changes/stage-change.ts";
import { listChanges } from "../../projects/run-changes/store.ts";
import { valueText } from "../../projects/run-changes/value-text.ts";
import type { RunDependencies } from "../run-dependencies.ts";
import { invalidStateError } from "../run-status.ts";
import { fileDiff, type ResolveRecord, type RunRecordChange } from "../schema.ts";
import { diffColumns } from "../serialize-run.ts";
import { findDiff, lockRun, requireRun, updateRun } from "../store.ts";
import { diffRecords, isRecordDiff } from "./record-diffs.ts";

/** A run's record changes as lines of text, with the current values. */
export async function listRecordChanges(db: Db, runId: string): Promise<RunRecordChange[]> {
  const compared = await compareChanges(db, await listChanges(db, runId));
  return compared.map(({ record, projectId, slug, name, field, isConflict, ...values }) => {
    const text = (value: unknown) => valueText(field, value);
    const isGone = projectId !== null && slug === "";
    const before = text(values.before);
    const present = isGone ? null : text(values.present);
    const after = text(values.after);
    return { record, projectId, slug, name, field, isConflict, before, after, present };
  });
}

/** See `Runs.resolveRecord`. */
export async function resolveRecord(
  { db }: Pick<RunDependencies, "db">,
  { runId, ...choice }: ResolveRecord,
): Promise<RunRecordChange[]> {
  await requireRun(db, runId);
  return db.transaction().execute(async (trx) => {
    if (!(await lockRun(trx, runId, ["preview_ready"]))) {
      throw invalidStateError("changed", (await requireRun(trx, runId)).status);
    }
    await resolveConflict(trx, runId, choice);
    const earlier = fileDiff.array().parse(JSON.parse(await findDiff(trx, runId)));
    const files = earlier.filter((file) => !isRecordDiff(file));
    const records = await diffRecords(trx, await listChanges(trx, runId));
    const left = await listRecordChanges(trx, runId);
    const isClear = left.every(({ isConflict }) => !isConflict);
    const patch = diffColumns([...files, ...records]);
    await updateRun(trx, runId, isClear ? { ...patch, error: null } : patch);
    return left;
  });
}
