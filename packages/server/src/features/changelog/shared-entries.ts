import type { Db } from "../../platform/db/connect.ts";
import { readChangelogSetting } from "../settings/site-settings.ts";
import { fitEntry } from "./entry.ts";
import {
  type EntryProject,
  hideProjectEntries,
  insertProjectEntry,
  listEntryProjects,
  listSharedEntries,
  type ProjectEvent,
  type ProjectVisibility,
  setHidden,
  updateTitle,
  updateVisibility,
} from "./project-entry-store.ts";

/** What happened to projects, as titles say it. */
export const eventTitles: Readonly<Record<ProjectEvent, string>> = {
  published: "Published",
  changed: "Updated",
  unpublished: "Unpublished",
};

const list = new Intl.ListFormat("en-GB");

/** Says what happened to how many projects, without naming them. */
function sharedTitle(events: readonly ProjectEvent[]): string {
  const parts = (["published", "changed", "unpublished"] as const).flatMap((event) => {
    const count = events.filter((one) => one === event).length;
    const what = count === 1 ? "project" : "projects";
    return count > 0 ? [`${eventTitles[event].toLowerCase()} ${count} ${what}`] : [];
  });
  const text = list.format(parts);
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The change to one of several projects, as visitors see it. */
export interface SharedChange {
  projectId: number;
  /** Null if they don't see it. */
  event: ProjectEvent | null;
  fields: string[];
}

/**
 * Writes one entry for changes to several projects; none if the owner has switched all of them off.
 */
export async function writeSharedEntry(
  trx: Db,
  changes: readonly SharedChange[],
  by: { at: string; actor: string },
): Promise<void> {
  const setting = await readChangelogSetting(trx);
  const told = changes.flatMap(({ event, ...change }) =>
    event !== null && setting[event] ? [{ ...change, event }] : [],
  );
  if (told.length === 0) return;
  const title = sharedTitle(told.map(({ event }) => event));
  const entry = fitEntry({ kind: "content", title, detail: "", ...by });
  const row = { ...entry, commit: null, source: "app", seedKey: null, createdAt: by.at } as const;
  await insertProjectEntry(trx, row, told);
}

/** Whether an entry still mentions something that visitors may see or have seen end. */
const isStillTold = ({ event, visibility }: EntryProject) =>
  visibility === "public" || (event === "unpublished" && visibility !== "restricted");

/**
 * Adapts entries about several projects to a change of one of them: an entry with no visible
 * project is hidden. Restricted projects are no longer counted; if the owner has edited the text,
 * it may name one, so the entry is hidden.
 */
async function retell(
  trx: Db,
  { projectId, visibility, at }: { projectId: number; visibility: ProjectVisibility; at: string },
): Promise<void> {
  for (const { id, title, detail } of await listSharedEntries(trx, projectId)) {
    const before = (await listEntryProjects(trx, id)).filter(
      (one) => one.visibility !== "restricted",
    );
    const known = before.map((one) => (one.projectId === projectId ? { ...one, visibility } : one));
    const after = known.filter((one) => one.visibility !== "restricted");
    const isOurs = title === sharedTitle(before.map(({ event }) => event)) && detail === "";
    const isReworded = after.length < before.length && !isOurs;
    if (isReworded || !after.some(isStillTold)) await setHidden(trx, id, { hidden: true, at });
    if (isOurs && after.length > 0) {
      await updateTitle(trx, id, sharedTitle(after.map(({ event }) => event)));
    }
  }
}

/** Adapts all entries about a project to its new visibility. `at` is ISO 8601 UTC. */
export async function followVisibility(
  trx: Db,
  change: { projectId: number; visibility: ProjectVisibility; at: string },
): Promise<void> {
  const { projectId, visibility, at } = change;
  await retell(trx, change);
  if (visibility === "restricted") await hideProjectEntries(trx, projectId, at);
  await updateVisibility(trx, projectId, visibility);
}
