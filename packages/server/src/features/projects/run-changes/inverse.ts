import type { Db } from "../../../platform/db/connect.ts";
import { findProject } from "../store.ts";
import { isSameValue, type NewDraft, type RecordChange, wholeProject } from "./change.ts";
import { assertNoConflicts, compareChanges, withStoredGallery } from "./publish-changes.ts";
import { listChanges, listRunsPublishedAfter, putChange } from "./store.ts";

/**
 * The changes that undo a published run's record changes. A draft that it created is deleted; a
 * project that an undo deleted is created again.
 */
function inverse(change: RecordChange, at: string): RecordChange {
  const { before: after, after: before } = change;
  const isCreated = change.field === wholeProject && after !== null;
  const record = isCreated ? `new:${(after as NewDraft).slug}` : change.record;
  const projectId = isCreated ? null : change.projectId;
  return { ...change, record, projectId, before, after, changedAt: at };
}

/** The change without images that have been deleted from the library since. */
async function withoutDeleted(db: Db, change: RecordChange): Promise<RecordChange> {
  const { field, after } = change;
  if (after === null) return change;
  if (field === wholeProject) {
    return { ...change, after: await withStoredGallery(db, after as NewDraft) };
  }
  if (field !== "gallery") return change;
  const { gallery } = await withStoredGallery(db, { gallery: after as NewDraft["gallery"] });
  return { ...change, after: gallery };
}

/** Whether the record already has the value that an inverse would restore. */
async function isDone(db: Db, change: RecordChange): Promise<boolean> {
  const { projectId, field, after } = change;
  const project = projectId === null ? null : await findProject(db, { id: projectId });
  if (field === wholeProject) return after === null && project === null;
  if (project === null) return true;
  return isSameValue(project[field], after);
}

/** A refused undo leaves no changes, so there is nothing to choose from. */
const undoAdvice = "Change them back and undo again, or edit the project under Projects.";

/**
 * Stages the inverse of another run's record changes for an undo run, and returns it. Throws
 * RecordsChanged if a record has changed since. `at` is ISO 8601 UTC.
 */
export async function stageUndo(
  trx: Db,
  { runId, undone, at }: { runId: string; undone: string; at: string },
): Promise<RecordChange[]> {
  const staged: RecordChange[] = [];
  for (const change of await listChanges(trx, undone)) {
    const back = await withoutDeleted(trx, inverse(change, at));
    if (!(await isDone(trx, back))) staged.push(back);
  }
  await assertNoConflicts(trx, staged, undoAdvice);
  for (const change of staged) await putChange(trx, runId, change);
  return staged;
}

/** The record changes that restore a version of the site. */
export interface VersionChanges {
  staged: RecordChange[];
  /** Fields changed by hand since: they stay as they are. */
  retained: { name: string; field: string }[];
}

/**
 * Stages the record changes that restore a release, by undoing the changes of runs since. Changes
 * made by hand since and drafts stay. `at` is ISO 8601 UTC.
 */
export async function stageVersion(
  trx: Db,
  { runId, release, at }: { runId: string; release: number; at: string },
): Promise<VersionChanges> {
  const combined = new Map<string, RecordChange>();
  /** Changed by hand between two runs: the field goes back only as far as the value saved then. */
  const saved = new Set<string>();
  // From newest to oldest: the last one written is the original value.
  for (const later of await listRunsPublishedAfter(trx, release)) {
    for (const change of await listChanges(trx, later)) {
      if (change.field === wholeProject) continue;
      const key = `${change.record} ${change.field}`;
      const newer = combined.get(key);
      if (newer && !isSameValue(newer.after, change.after)) saved.add(key);
      if (saved.has(key)) continue;
      const back = inverse(change, at);
      combined.set(key, newer ? { ...back, before: newer.before } : back);
    }
  }
  const result: VersionChanges = { staged: [], retained: [] };
  const possible: RecordChange[] = [];
  for (const change of combined.values()) possible.push(await withoutDeleted(trx, change));
  for (const change of await compareChanges(trx, possible)) {
    const { name, present, isConflict, slug: _slug, ...back } = change;
    const isRestored = isSameValue(present, back.after);
    const isSaved = saved.has(`${back.record} ${back.field}`);
    if (isSaved || (isConflict && !isRestored)) result.retained.push({ name, field: back.field });
    if (!isConflict && !isRestored) result.staged.push(back);
  }
  for (const change of result.staged) await putChange(trx, runId, change);
  return result;
}
