import type { MediaItem } from "../../../api/types.ts";
import type { KeyValueStorage } from "../../../ui/storage.ts";
import type { FieldName, Values } from "./form.ts";

/** Unsaved changes stored in this browser. */
export interface StoredDraft {
  /** Which page load wrote it. */
  id: string;
  /** When, in ms. */
  at: number;
  /** The version that was changed. */
  version: number;
  changes: Partial<Values>;
  /** The values of the same fields in that version. */
  base: Partial<Values>;
  /** The stored files in the changed gallery. */
  media?: MediaItem[];
}

/** Maximum drafts of one project. */
const maxDrafts = 3;

export interface Drafts {
  /** Newest first. */
  list(): StoredDraft[];
  keep(draft: StoredDraft): void;
  forget(id: string): void;
}

function isDraft(value: unknown): value is StoredDraft {
  const draft = value as Partial<StoredDraft> | null;
  return (
    typeof draft === "object" &&
    draft !== null &&
    typeof draft.id === "string" &&
    typeof draft.at === "number" &&
    typeof draft.version === "number" &&
    typeof draft.changes === "object" &&
    draft.changes !== null &&
    typeof draft.base === "object" &&
    draft.base !== null
  );
}

function read(memory: KeyValueStorage, key: string): StoredDraft[] {
  try {
    const stored: unknown = JSON.parse(memory.get(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isDraft) : [];
  } catch {
    return [];
  }
}

/**
 * The drafts of one project: each page load has its own, so that tabs don't overwrite each other's.
 */
export function makeDrafts(memory: KeyValueStorage, projectId: number): Drafts {
  const key = `edit:${projectId}`;
  function write(drafts: StoredDraft[]): void {
    if (drafts.length === 0) memory.remove(key);
    else memory.set(key, JSON.stringify(drafts));
  }
  return {
    list: () => read(memory, key).toSorted((one, other) => other.at - one.at),
    keep(draft) {
      const others = read(memory, key).filter(({ id }) => id !== draft.id);
      write([draft, ...others].toSorted((one, other) => other.at - one.at).slice(0, maxDrafts));
    },
    forget: (id) => write(read(memory, key).filter((draft) => draft.id !== id)),
  };
}

/** The fields that a draft changes. */
export function draftFields(draft: StoredDraft): FieldName[] {
  return Object.keys(draft.changes) as FieldName[];
}
