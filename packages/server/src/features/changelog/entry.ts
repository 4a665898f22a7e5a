import { cleanText } from "../../kit/text.ts";
import type { Db } from "../../platform/db/connect.ts";
import { setHidden } from "./project-entry-store.ts";
import { insertEntry } from "./store.ts";

/** The most characters that each text of an entry may have. */
export const entryBounds = { kind: 32, title: 140, detail: 2000, actor: 120 };

/** The kinds with a meaning of their own; the owner may use another word. */
export const changeKind = /^\p{L}[\p{L}\p{N}-]{0,31}$/u;

/** A change to be recorded. `at` is ISO 8601 UTC; `actor` is the agent's name or the site owner's. */
export interface NewEntry {
  kind: string;
  title: string;
  detail: string;
  at: string;
  actor: string;
  commit: string | null;
  /** Recorded for the owner alone: visitors are not shown it. */
  isHidden?: boolean;
}

/** Cleans a text and cuts it, visibly, to `bound` UTF-16 code units. */
export function fitText(text: string, bound: number, multiline = false): string {
  const clean = cleanText(text, { multiline });
  if (clean.length <= bound) return clean;
  return `${clean
    .slice(0, bound - 1)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd()}…`;
}

/**
 * A change as it will be recorded. Texts that are too long are cut: an entry tells of a change that
 * has happened, and its wording, often a model's, must not undo it.
 */
export function fitEntry<E extends Omit<NewEntry, "commit">>(entry: E): E {
  const kind = fitText(entry.kind, entryBounds.kind);
  return {
    ...entry,
    kind: changeKind.test(kind) ? kind : "content",
    title: fitText(entry.title, entryBounds.title),
    detail: fitText(entry.detail, entryBounds.detail, true),
    actor: fitText(entry.actor, entryBounds.actor),
  };
}

/** Records a change made in the app, see `fitEntry`. */
export async function addEntry(db: Db, entry: NewEntry): Promise<void> {
  const { kind, title, detail, at, actor, commit } = fitEntry(entry);
  const fields = { kind, title, detail, at, actor, commit };
  const row = { ...fields, source: "app", seedKey: null, createdAt: at } as const;
  const { id } = await insertEntry(db, row);
  if (entry.isHidden === true) await setHidden(db, id, { hidden: true, at });
}
