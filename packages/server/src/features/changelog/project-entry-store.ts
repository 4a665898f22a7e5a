import type { Db } from "../../platform/db/connect.ts";
import { type ChangelogEntry, deleteEntry, type EntryRow, insertEntry } from "./store.ts";

/** What happened to a project, as visitors see it. */
export type ProjectEvent = "published" | "changed" | "unpublished";

/** Whether visitors can see a project that an entry mentions; once `restricted`, it stays so. */
export type ProjectVisibility = "public" | "unpublished" | "restricted";

/** A project that an entry is about. */
export interface EntryProject {
  projectId: number;
  event: ProjectEvent;
  visibility: ProjectVisibility;
}

interface EntryProjectRow {
  entry_id: number;
  project_id: number;
  event: ProjectEvent;
  fields: string;
  visibility: ProjectVisibility;
}

type ProjectEntryTable = {
  changelog_entry: {
    id: number;
    at: string;
    actor: string;
    title: string;
    detail: string;
    commit_sha: string;
  };
  changelog_entry_project: EntryProjectRow;
  changelog_hidden: { entry_id: number; hidden_at: string };
  run: { id: string; commit_sha: string | null };
  run_record_change: { run_id: string; project_id: number | null };
};

/** An entry written for changes to a project. */
export interface ProjectEntry extends Pick<
  ChangelogEntry,
  "id" | "at" | "actor" | "title" | "detail" | "hidden"
> {
  event: ProjectEvent;
  /** The names of the changed fields. */
  fields: string[];
  /** Whether it is also about other projects. */
  isShared: boolean;
}

/** The most recently written entry about a project. */
export async function findLatestProjectEntry(
  db: Db,
  projectId: number,
): Promise<ProjectEntry | undefined> {
  const row = await db
    .withTables<ProjectEntryTable>()
    .selectFrom("changelog_entry_project as link")
    .innerJoin("changelog_entry", "changelog_entry.id", "link.entry_id")
    .leftJoin("changelog_hidden", "changelog_hidden.entry_id", "changelog_entry.id")
    .select(["id", "at", "actor", "title", "detail", "event", "fields", "hidden_at"])
    .where("project_id", "=", projectId)
    .orderBy("link.entry_id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!row) return undefined;
  const { hidden_at: hiddenAt, ...entry } = row;
  const fields = JSON.parse(row.fields) as string[];
  const isShared = (await listEntryProjects(db, entry.id)).length > 1;
  return { ...entry, fields, hidden: hiddenAt !== null, isShared };
}

/** Inserts an entry with its projects, each once. */
export async function insertProjectEntry(
  db: Db,
  row: EntryRow,
  projects: readonly (Pick<EntryProject, "projectId" | "event"> & { fields: string[] })[],
): Promise<void> {
  const { id } = await insertEntry(db, row);
  const links = projects.map(({ projectId, event, fields }) => ({
    entry_id: id,
    project_id: projectId,
    event,
    fields: JSON.stringify(fields),
    visibility: event === "unpublished" ? ("unpublished" as const) : ("public" as const),
  }));
  const tables = db.withTables<ProjectEntryTable>();
  await tables.insertInto("changelog_entry_project").values(links).execute();
}

/** The projects that an entry is about. */
export async function listEntryProjects(db: Db, entryId: number): Promise<EntryProject[]> {
  return db
    .withTables<ProjectEntryTable>()
    .selectFrom("changelog_entry_project")
    .select(["project_id as projectId", "event", "visibility"])
    .where("entry_id", "=", entryId)
    .execute();
}

/** The entries about this project and others, with their texts. */
export async function listSharedEntries(
  db: Db,
  projectId: number,
): Promise<Pick<ChangelogEntry, "id" | "title" | "detail">[]> {
  const tables = db.withTables<ProjectEntryTable>();
  return tables
    .selectFrom("changelog_entry")
    .select(["id", "title", "detail"])
    .where("id", "in", entriesOf(db, projectId))
    .where("id", "in", sharedEntries(db))
    .execute();
}

const entriesOf = (db: Db, projectId: number) =>
  db
    .withTables<ProjectEntryTable>()
    .selectFrom("changelog_entry_project")
    .select("entry_id")
    .where("project_id", "=", projectId);

const sharedEntries = (db: Db) =>
  db
    .withTables<ProjectEntryTable>()
    .selectFrom("changelog_entry_project")
    .select("entry_id")
    .groupBy("entry_id")
    .having((link) => link.fn.countAll(), ">", 1);

/** Stores the visibility of a project, unless it is restricted already. */
export async function updateVisibility(
  db: Db,
  projectId: number,
  visibility: ProjectVisibility,
): Promise<void> {
  await db
    .withTables<ProjectEntryTable>()
    .updateTable("changelog_entry_project")
    .set({ visibility })
    .where("project_id", "=", projectId)
    .where("visibility", "!=", "restricted")
    .execute();
}

/** Changes the title of an entry. */
export async function updateTitle(db: Db, id: number, title: string): Promise<void> {
  const tables = db.withTables<ProjectEntryTable>();
  await tables.updateTable("changelog_entry").set({ title }).where("id", "=", id).execute();
}

/** Adds fields to a project's entry, with the new text. */
export async function extendProjectEntry(
  db: Db,
  id: number,
  { fields, title, detail }: { fields: string[]; title: string; detail: string },
): Promise<void> {
  const tables = db.withTables<ProjectEntryTable>();
  await tables
    .updateTable("changelog_entry_project")
    .set({ fields: JSON.stringify(fields) })
    .where("entry_id", "=", id)
    .execute();
  await tables.updateTable("changelog_entry").set({ title, detail }).where("id", "=", id).execute();
}

/** Removes an entry of a project. */
export async function deleteProjectEntry(db: Db, id: number): Promise<void> {
  await deleteEntry(db, id);
}

/** Hides all entries that are only about this project, and those of runs that changed it. */
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
        entry.and([
          entry("changelog_entry.id", "in", entriesOf(db, projectId)),
          entry("changelog_entry.id", "not in", sharedEntries(db)),
        ]),
        entry("changelog_entry.commit_sha", "in", commits),
      ]),
    )
    .execute();
  for (const { id } of rows) await setHidden(db, id, { hidden: true, at });
}

/** Hides an entry from visitors or shows it again. */
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
