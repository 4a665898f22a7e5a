import { fileChange } from "../../agent/tools/file-change.ts";
import { publishedTitle } from "../../changelog/project-entries.ts";
import { newDrafts, type RecordChange, wholeProject } from "../../projects/run-changes/change.ts";
import { compareChanges } from "../../projects/run-changes/publish-changes.ts";
import { changePath, valueText } from "../../projects/run-changes/value-text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { listPublished } from "../../projects/store.ts";
import { readChangelogSetting } from "../../settings/site-settings.ts";
import { commitSubject, type RunChange } from "../run-change.ts";
import type { FileDiff } from "../schema.ts";

function statusOf({ field, before, after }: RecordChange): FileDiff["status"] {
  if (field !== wholeProject) return "modified";
  if (before === null) return "added";
  return after === null ? "deleted" : "modified";
}

/** Whether a diff is about a record, not a file. */
export const isRecordDiff = ({ path }: Pick<FileDiff, "path">): boolean =>
  path.startsWith("projects/");

/**
 * The changelog entry of a new project, as for one that the owner publishes; null if the owner has
 * turned it off.
 */
async function publishedEntry(db: Db, change: RunChange, name: string): Promise<RunChange | null> {
  const { published } = await readChangelogSetting(db);
  return published ? { ...change, kind: "content", title: publishedTitle(name), detail: "" } : null;
}

/**
 * What the public changelog may say about a run: nothing if all its changes are in drafts or
 * restricted projects; if some are, only the public part in our own words. Call it when building
 * and when publishing, because projects can be hidden in between.
 * @param diffs those of records are ignored
 */
export async function toPublicChange(
  db: Db,
  change: RunChange | null,
  { diffs, records }: { diffs: readonly FileDiff[]; records: readonly RecordChange[] },
): Promise<RunChange | null> {
  if (change === null || records.length === 0) return change;
  const files = diffs.filter((file) => !isRecordDiff(file));
  const published = await listPublished(db);
  const visible = new Set(
    published.filter(({ audience }) => audience === "everyone").map(({ id }) => id),
  );
  const created = newDrafts(records).filter(({ draft }) => draft.status === "published");
  const added = new Set(created.map((one) => one.change));
  const shown = records.filter(
    (one) => added.has(one) || (one.projectId !== null && visible.has(one.projectId)),
  );
  const [first] = created;
  if (first && files.length === 0 && shown.length === 1) {
    return publishedEntry(db, change, first.draft.name);
  }
  if (shown.length === records.length) return change;
  if (files.length === 0 && shown.length === 0) return null;
  const title = commitSubject("", [...files, ...(await diffRecords(db, shown))]);
  return { ...change, title, detail: "" };
}

/** A run's record changes in the form of file diffs. */
export async function diffRecords(db: Db, changes: readonly RecordChange[]): Promise<FileDiff[]> {
  return (await compareChanges(db, changes)).map((change) => {
    const { slug, field, before, after } = change;
    const status = statusOf(change);
    const texts = [valueText(field, before), valueText(field, after)] as const;
    const { path, added, removed, patch } = fileChange(changePath(slug, field), ...texts);
    return { path, added, removed, status, patch };
  });
}
