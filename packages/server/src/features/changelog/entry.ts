import { cleanText } from "../../kit/text.ts";
import type { Db } from "../../platform/db/connect.ts";
import { setHidden } from "./project-entry-store.ts";
import { insertEntry } from "./store.ts";

/** Maximum length of an entry's texts, in characters. */
export const entryBounds = { kind: 32, title: 140, detail: 2000, actor: 120 };

/** Kinds with a special meaning; the owner can use other words. */
export const changeKind = /^\p{L}[\p{L}\p{N}-]{0,31}$/u;

/**
 * A change to record. `at` is ISO 8601 UTC; `actor` is the name of the agent or the site's owner.
 */
export interface NewEntry {
  kind: string;
  title: string;
  detail: string;
  at: string;
  actor: string;
  commit: string | null;
  /** Only the owner sees the entry, not visitors. */
  isHidden?: boolean;
}

/** Cleans a text and truncates it to `bound` UTF-16 code units with an ellipsis. */
export function fitText(text: string, bound: number, multiline = false): string {
  const clean = cleanText(text, { multiline });
  if (clean.length <= bound) return clean;
  return `${clean
    .slice(0, bound - 1)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd()}…`;
}

/**
 * Prepares an entry for recording. Texts that are too long are truncated rather than refused: the
 * change has already happened, and a text, often a model's, must not undo it.
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

/** Records a change made in the app; see `fitEntry`. */
export async function addEntry(db: Db, entry: NewEntry): Promise<void> {
  const { kind, title, detail, at, actor, commit } = fitEntry(entry);
  const fields = { kind, title, detail, at, actor, commit };
  const row = { ...fields, source: "app", seedKey: null, createdAt: at } as const;
  const { id } = await insertEntry(db, row);
  if (entry.isHidden === true) await setHidden(db, id, { hidden: true, at });
}
