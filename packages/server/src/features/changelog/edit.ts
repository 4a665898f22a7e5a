import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import { setHidden } from "./project-entry-store.ts";
import { type ChangelogEntry, deleteEntry, findEntry, insertEntry, updateEntry } from "./store.ts";

export interface ChangelogDependencies {
  db: Db;
  clock: Clock;
  /** The author of entries that name nobody. */
  ownerName: string;
  /** Called for every change, in its transaction. */
  onChange(transaction: Db, reason: string): Promise<void>;
}

/** The content of an entry; texts are within the limits of entry.ts, `at` is ISO 8601 UTC. */
interface EntryInput {
  kind: string;
  title: string;
  detail: string;
  at?: string | undefined;
  actor?: string | undefined;
}

function noEntry(): AppError {
  return new AppError("not_found", "This changelog entry doesn't exist.");
}

/**
 * The entry, if it was created in the app. Throws `not_found`, and `invalid_state` for a seeded
 * one.
 */
async function requireAppEntry(db: Db, id: number): Promise<ChangelogEntry> {
  const entry = await findEntry(db, id);
  if (!entry) throw noEntry();
  if (entry.source === "app") return entry;
  throw new AppError(
    "invalid_state",
    "This entry comes from database/changelog.json. Edit it there.",
    { details: { source: "seed", file: "database/changelog.json" } },
  );
}

/** Changes the given fields; does nothing without any. */
async function changeEntry(
  db: Db,
  id: number,
  change: Parameters<typeof updateEntry>[2],
): Promise<ChangelogEntry | undefined> {
  if (Object.keys(change).length === 0) return findEntry(db, id);
  return updateEntry(db, id, change);
}

/** Adds an entry; by default with the current time and by the owner. */
export async function createEntry(
  { db, clock, ownerName, onChange }: ChangelogDependencies,
  input: EntryInput,
): Promise<ChangelogEntry> {
  const { kind, title, detail } = input;
  const now = isoTime(clock.now());
  return db.transaction().execute(async (transaction) => {
    const entry = await insertEntry(transaction, {
      kind,
      title,
      detail,
      at: input.at ?? now,
      actor: input.actor || ownerName,
      commit: null,
      source: "app",
      seedKey: null,
      createdAt: now,
    });
    await onChange(transaction, `Changelog: “${title}” was added`);
    return entry;
  });
}

/**
 * Corrects, hides, or shows an entry created in the app; missing fields stay, an empty actor is the
 * owner. Throws `not_found`, and `invalid_state` for a seeded entry.
 */
export async function saveEntry(
  { db, clock, ownerName, onChange }: ChangelogDependencies,
  {
    id,
    hidden,
    ...input
  }: { id: number; hidden?: boolean | undefined } & {
    [K in keyof EntryInput]?: EntryInput[K] | undefined;
  },
): Promise<ChangelogEntry> {
  return db.transaction().execute(async (transaction) => {
    const before = await requireAppEntry(transaction, id);
    const given = Object.entries({ ...input, actor: input.actor === "" ? ownerName : input.actor });
    const changed = given.filter(
      ([name, value]) => value !== undefined && value !== before[name as keyof EntryInput],
    );
    const isToggled = hidden !== undefined && hidden !== before.hidden;
    if (changed.length === 0 && !isToggled) return before;
    if (isToggled) await setHidden(transaction, id, { hidden, at: isoTime(clock.now()) });
    const entry = await changeEntry(transaction, id, Object.fromEntries(changed));
    if (!entry) throw noEntry();
    await onChange(transaction, `Changelog: “${entry.title}” was corrected`);
    return entry;
  });
}

/**
 * Deletes an entry created in the app. Throws `not_found`, and `invalid_state` for a seeded entry.
 */
export async function removeEntry(
  { db, onChange }: ChangelogDependencies,
  id: number,
): Promise<{ id: number; deleted: true }> {
  return db.transaction().execute(async (transaction) => {
    const { title } = await requireAppEntry(transaction, id);
    if (!(await deleteEntry(transaction, id))) throw noEntry();
    await onChange(transaction, `Changelog: “${title}” was removed`);
    return { id, deleted: true };
  });
}
