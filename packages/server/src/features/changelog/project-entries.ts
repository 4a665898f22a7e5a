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

/** Changes of one project within this time are one entry, in ms. */
const groupingMs = 60 * 60_000;

/** A project as far as an entry tells of it. */
export interface DescribedProject {
  id: number;
  name: string;
  status: string;
  audience: string;
}

/** A change of a project: null where it wasn't there before, or isn't any more. */
export interface ProjectChange {
  before: DescribedProject | null;
  after: DescribedProject | null;
  /** The fields that visitors see and that are different, in words, such as “summary”. */
  fields: string[];
  /** ISO 8601 UTC. */
  at: string;
  /** Who made it. */
  actor: string;
}

function isPublic(project: DescribedProject | null): boolean {
  return project?.status === "published" && project.audience === "everyone";
}

/** What visitors see of a change; null where they see nothing of it. */
export function eventOf({ before, after, fields }: ProjectChange): ProjectEvent | null {
  if (isPublic(after)) {
    if (!isPublic(before)) return "published";
    return fields.length > 0 ? "changed" : null;
  }
  // Of a project that only some people may see from now on nothing is said.
  const isRestricted = after !== null && after.audience !== "everyone";
  return isPublic(before) && !isRestricted ? "unpublished" : null;
}

const list = new Intl.ListFormat("en-GB");

function detailOf(event: ProjectEvent, fields: readonly string[]): string {
  return event === "changed" ? `Changed: ${list.format(fields)}.` : "";
}

/** A long name is cut inside its quotation marks, so that the closing one stays. */
function titleOf(event: ProjectEvent, name: string): string {
  const maxNameLength = entryBounds.title - `${eventTitles[event]} “”`.length;
  return `${eventTitles[event]} “${fitText(name, maxNameLength)}”`;
}

/** What the entry of a project that is published is called. */
export function publishedTitle(name: string): string {
  return titleOf("published", name);
}

/**
 * Takes a change into the project's last entry; false where it needs one of its own. What the owner
 * has reworded there stays as it is. An entry that is hidden takes in nothing: it would hide a change
 * that the owner hasn't seen.
 */
async function mergeInto(
  trx: Db,
  latest: ProjectEntry,
  { event, fields, names }: { event: ProjectEvent; fields: string[]; names: [string, string] },
): Promise<boolean> {
  if (event !== "changed") {
    // Published and taken back within the hour: nothing has happened.
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

/** Lets the entries that there are follow what visitors see of the project from now on. */
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

/** Changes of more projects than these at once are one entry, which names none of them. */
const maxSeparate = 5;

/** Writes what visitors are told of changes of several projects at once; see `writeProjectEntry`. */
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
 * Writes what visitors are told of a project's change, in the transaction that makes it: that it was
 * published, changed or unpublished, unless the owner has switched that off. What one person changes
 * of it within an hour is one entry. Of a project that only some people may see there is none, and
 * those that there were are hidden.
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
