import type { Db } from "../../platform/db/connect.ts";
import { type ChangelogEntry, deleteEntry, type EntryRow, insertEntry } from "./store.ts";

/** What has become of a project, as visitors see it. */
export type ProjectEvent = "published" | "changed" | "unpublished";

type ProjectEntryTable = {
  changelog_entry: {
    id: number;
    at: string;
    actor: string;
    title: string;
    detail: string;
    commit_sha: string;
  };
  project_entry: { entry_id: number; project_id: number; event: string; fields: string };
  changelog_hidden: { entry_id: number; hidden_at: string };
  run: { id: string; commit_sha: string | null };
  run_record_change: { run_id: string; project_id: number | null };
};

/** An entry that a change of a project has written. */
export interface ProjectEntry extends Pick<
  ChangelogEntry,
  "id" | "at" | "actor" | "title" | "detail" | "hidden"
> {
  event: ProjectEvent;
  /** The names of the fields that were changed. */
  fields: string[];
}

/** The newest entry of a project, by when it was written. */
export async function findLatestProjectEntry(
  db: Db,
  projectId: number,
): Promise<ProjectEntry | undefined> {
  const row = await db
    .withTables<ProjectEntryTable>()
    .selectFrom("project_entry")
    .innerJoin("changelog_entry", "changelog_entry.id", "project_entry.entry_id")
    .leftJoin("changelog_hidden", "changelog_hidden.entry_id", "changelog_entry.id")
    .select(["id", "at", "actor", "title", "detail", "event", "fields", "hidden_at"])
    .where("project_id", "=", projectId)
    .orderBy("project_entry.entry_id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!row) return undefined;
  const { hidden_at: hiddenAt, event, ...entry } = row;
  const fields = JSON.parse(row.fields) as string[];
  return { ...entry, event: event as ProjectEvent, fields, hidden: hiddenAt !== null };
}

/** Stores an entry of a project. */
export async function insertProjectEntry(
  db: Db,
  row: EntryRow,
  { projectId, event, fields }: { projectId: number; event: ProjectEvent; fields: string[] },
): Promise<void> {
  const { id } = await insertEntry(db, row);
  await db
    .withTables<ProjectEntryTable>()
    .insertInto("project_entry")
    .values({ entry_id: id, project_id: projectId, event, fields: JSON.stringify(fields) })
    .execute();
}

/** Adds fields to an entry of a project, with the words that say so. */
export async function extendProjectEntry(
  db: Db,
  id: number,
  { fields, title, detail }: { fields: string[]; title: string; detail: string },
): Promise<void> {
  const tables = db.withTables<ProjectEntryTable>();
  await tables
    .updateTable("project_entry")
    .set({ fields: JSON.stringify(fields) })
    .where("entry_id", "=", id)
    .execute();
  await tables.updateTable("changelog_entry").set({ title, detail }).where("id", "=", id).execute();
}

/** Removes an entry of a project. */
export async function deleteProjectEntry(db: Db, id: number): Promise<void> {
  await deleteEntry(db, id);
}

/** Hides every entry about a project: those of its own, and those of runs that have changed it. */
export async function hideProjectEntries(db: Db, projectId: number, at: string): Promise<void> {
  const tables = db.withTables<ProjectEntryTable>();
  const commits = tables
    .selectFrom("run_record_change")
    .innerJoin("run", "run.id", "run_record_change.run_id")
    .select("run.commit_sha")
    .where("run_record_change.project_id", "=", projectId)
    .where("run.commit_sha", "is not", null)
    .$narrowType<{ commit_sha: string }>();
  const rows = await tables
    .selectFrom("changelog_entry")
    .select("changelog_entry.id")
    .where((entry) =>
      entry.or([
        entry(
          "changelog_entry.id",
          "in",
          tables.selectFrom("project_entry").select("entry_id").where("project_id", "=", projectId),
        ),
        entry("changelog_entry.commit_sha", "in", commits),
      ]),
    )
    .execute();
  for (const { id } of rows) await setHidden(db, id, { hidden: true, at });
}

/** Hides an entry from visitors, or shows it again. */
export async function setHidden(
  db: Db,
  id: number,
  { hidden, at }: { hidden: boolean; at: string },
): Promise<void> {
  const tables = db.withTables<ProjectEntryTable>();
  if (!hidden) {
    await tables.deleteFrom("changelog_hidden").where("entry_id", "=", id).execute();
    return;
  }
  await tables
    .insertInto("changelog_hidden")
    .values({ entry_id: id, hidden_at: at })
    .onConflict((conflict) => conflict.column("entry_id").doNothing())
    .execute();
}
