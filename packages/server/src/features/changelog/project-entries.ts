import type { Db } from "../../platform/db/connect.ts";
import { readChangelogSetting } from "../settings/site-settings.ts";
import { entryBounds, fitEntry, fitText } from "./entry.ts";
import {
  deleteProjectEntry,
  extendProjectEntry,
  findLatestProjectEntry,
  insertProjectEntry,
  type ProjectEntry,
  type ProjectEvent,
} from "./project-entry-store.ts";
import { eventTitles, followVisibility, writeSharedEntry } from "./shared-entries.ts";

/** Changes to one project within this time share an entry, in ms. */
const groupingMs = 60 * 60_000;

/** The parts of a project that entries mention. */
export interface DescribedProject {
  id: number;
  name: string;
  status: string;
  audience: string;
}

/** A change to a project: null if it didn't exist before or doesn't exist any more. */
export interface ProjectChange {
  before: DescribedProject | null;
  after: DescribedProject | null;
  /** The changed fields that visitors see, as names such as “summary”. */
  fields: string[];
  /** ISO 8601 UTC. */
  at: string;
  /** The author. */
  actor: string;
}

function isPublic(project: DescribedProject | null): boolean {
  return project?.status === "published" && project.audience === "everyone";
}

/** The change as visitors see it; null if they don't see it. */
export function eventOf({ before, after, fields }: ProjectChange): ProjectEvent | null {
  if (isPublic(after)) {
    if (!isPublic(before)) return "published";
    return fields.length > 0 ? "changed" : null;
  }
  // Changes to a project that just became restricted aren't mentioned.
  const isRestricted = after !== null && after.audience !== "everyone";
  return isPublic(before) && !isRestricted ? "unpublished" : null;
}

const list = new Intl.ListFormat("en-GB");

function detailOf(event: ProjectEvent, fields: readonly string[]): string {
  return event === "changed" ? `Changed: ${list.format(fields)}.` : "";
}

/** A long name is truncated inside its quotation marks, so that the closing one stays. */
function titleOf(event: ProjectEvent, name: string): string {
  const maxNameLength = entryBounds.title - `${eventTitles[event]} “”`.length;
  return `${eventTitles[event]} “${fitText(name, maxNameLength)}”`;
}

/** The title of the entry for a published project. */
export function publishedTitle(name: string): string {
  return titleOf("published", name);
}

/**
 * Adds a change to the project's last entry; false if it needs a new one. What the owner has
 * reworded stays. A hidden entry isn't extended, because that would hide a change that the owner
 * hasn't seen.
 */
async function mergeInto(
  trx: Db,
  latest: ProjectEntry,
  { event, fields, names }: { event: ProjectEvent; fields: string[]; names: [string, string] },
): Promise<boolean> {
  if (event !== "changed") {
    // Published and unpublished within the hour: no entry remains.
    const isUndone = latest.event === (event === "published" ? "unpublished" : "published");
    if (isUndone) await deleteProjectEntry(trx, latest.id);
    return isUndone;
  }
  if (latest.event === "unpublished" || latest.hidden) return false;
  const [formerName, name] = names;
  const all = [...new Set([...latest.fields, ...fields])];
  const isTitleOurs = latest.title === titleOf(latest.event, formerName);
  const isDetailOurs = latest.detail === detailOf(latest.event, latest.fields);
  await extendProjectEntry(trx, latest.id, {
    fields: all,
    title: isTitleOurs ? titleOf(latest.event, name) : latest.title,
    detail: isDetailOurs ? detailOf(latest.event, all) : latest.detail,
  });
  return true;
}

/** Adapts existing entries to the project's new visibility. */
async function updateEntries(trx: Db, { before, after, at }: ProjectChange): Promise<void> {
  const projectId = (after ?? before)?.id;
  if (projectId === undefined) return;
  if (after !== null && after.audience !== "everyone") {
    const visibility = "restricted";
    if (before?.audience === "everyone") await followVisibility(trx, { projectId, visibility, at });
  } else if (isPublic(before) !== isPublic(after)) {
    const visibility = isPublic(after) ? "public" : "unpublished";
    await followVisibility(trx, { projectId, visibility, at });
  }
}

/** Simultaneous changes to more projects than this share one entry, which names none of them. */
const maxSeparate = 5;

/** Writes the entries for changes to several projects at once; see `writeProjectEntry`. */
export async function writeProjectEntries(
  trx: Db,
  changes: readonly ProjectChange[],
): Promise<void> {
  if (changes.length <= maxSeparate) {
    for (const change of changes) await writeProjectEntry(trx, change);
    return;
  }
  for (const change of changes) await updateEntries(trx, change);
  const [first] = changes;
  if (first === undefined) return;
  const shared = changes.flatMap((change) => {
    const projectId = (change.after ?? change.before)?.id;
    const { fields } = change;
    return projectId === undefined ? [] : [{ projectId, event: eventOf(change), fields }];
  });
  await writeSharedEntry(trx, shared, { at: first.at, actor: first.actor });
}

/**
 * Writes the entry for a change to a project, in the same transaction: published, changed, or
 * unpublished, unless the owner has switched that off. One person's changes within an hour share an
 * entry. Restricted projects have no entries, and their existing ones are hidden.
 */
export async function writeProjectEntry(trx: Db, change: ProjectChange): Promise<void> {
  const { before, after, fields, at, actor } = change;
  const project = after ?? before;
  if (project === null) return;
  await updateEntries(trx, change);
  const event = eventOf(change);
  if (event === null || !(await readChangelogSetting(trx))[event]) return;
  const { id: projectId, name } = project;
  const names: [string, string] = [before?.name ?? name, name];
  const latest = await findLatestProjectEntry(trx, projectId);
  const isRecent =
    latest?.isShared === false &&
    latest.actor === actor &&
    Math.abs(Date.parse(at) - Date.parse(latest.at)) < groupingMs;
  if (latest && isRecent && (await mergeInto(trx, latest, { event, fields, names }))) return;
  const entry = fitEntry({
    kind: "content",
    title: titleOf(event, name),
    detail: detailOf(event, fields),
    at,
    actor,
  });
  const row = { ...entry, commit: null, source: "app", seedKey: null, createdAt: at } as const;
  await insertProjectEntry(trx, row, [{ projectId, event, fields }]);
}
