import { fileChange } from "../../agent/tools/file-change.ts";
import { wholeProject } from "../../projects/run-changes/change.ts";
import type { RecordChange } from "../../projects/run-changes/change.ts";
import { compareChanges } from "../../projects/run-changes/publish-changes.ts";
import { changePath, valueText } from "../../projects/run-changes/value-text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { listPublished } from "../../projects/store.ts";
import type { FileDiff } from "../schema.ts";

function statusOf({ field, before, after }: RecordChange): FileDiff["status"] {
  if (field !== wholeProject) return "modified";
  if (before === null) return "added";
  return after === null ? "deleted" : "modified";
}

/**
 * Whether a run changes nothing that visitors see: only drafts and what is not for everyone. The
 * public changelog then says nothing of it.
 */
export async function changesOnlyPrivate(
  db: Db,
  { files, records }: { files: readonly FileDiff[]; records: readonly RecordChange[] },
): Promise<boolean> {
  if (files.length > 0 || records.length === 0) return false;
  const published = await listPublished(db);
  const open = new Set(
    published.filter(({ audience }) => audience === "everyone").map(({ id }) => id),
  );
  return records.every(({ projectId }) => projectId === null || !open.has(projectId));
}

/** What a run changes of the records, as it stands beside the files that it changes. */
export async function diffRecords(db: Db, changes: readonly RecordChange[]): Promise<FileDiff[]> {
  return (await compareChanges(db, changes)).map((change) => {
    const { slug, field, before, after } = change;
    const status = statusOf(change);
    const texts = [valueText(field, before), valueText(field, after)] as const;
    const { path, added, removed, patch } = fileChange(changePath(slug, field), ...texts);
    return { path, added, removed, status, patch };
  });
}
