import type { InlineEdit } from "../../api/types.ts";
import { tabStorage } from "../../ui/storage.ts";
import { showEdit } from "./page-text.ts";

/** An edit that waits to be built. */
export interface KeptEdit {
  edit: InlineEdit;
  /** The address of the dropped image. */
  src: string | null;
}

const key = "inline-edits";

/** Maximum edits of one run, as on the server. */
export const maxEdits = 50;

function isKept(value: unknown): value is KeptEdit {
  const edit = (value as Partial<KeptEdit> | null)?.edit;
  return typeof edit === "object" && ["text", "alt", "image"].includes(edit.kind);
}

function readKept(): KeptEdit[] {
  try {
    const value: unknown = JSON.parse(tabStorage.get(key) ?? "[]");
    return Array.isArray(value) ? value.filter(isKept).slice(0, maxEdits) : [];
  } catch {
    return [];
  }
}

/** The edits of this tab, in order; they survive a reload or the end of a session. */
export interface EditList {
  items(): readonly KeptEdit[];
  /** Stores an edit and shows it on the page. */
  add(kept: KeptEdit): void;
  /** Undoes the last edit. */
  undo(): void;
  /** Removes the edits with these indexes. */
  remove(indexes: ReadonlySet<number>): void;
  /** Undoes all of them. */
  clear(): void;
  /** Shows the page as it is live; the edits stay stored. */
  close(): void;
  subscribe(listener: () => void): () => void;
}

/** The edits of this tab; those of this page are shown on it. */
export function openEditList(page: string): EditList {
  let items: readonly KeptEdit[] = readKept();
  let undos = show(items);
  const listeners = new Set<() => void>();

  function show(all: readonly KeptEdit[]): (() => void)[] {
    return all.map(({ edit, src }) => (edit.page === page ? showEdit(edit, src) : () => {}));
  }
  function hide(): void {
    for (const undo of undos.toReversed()) undo();
    undos = [];
  }
  function set(next: readonly KeptEdit[]): void {
    items = next;
    if (next.length === 0) tabStorage.remove(key);
    else tabStorage.set(key, JSON.stringify(next));
    for (const listener of listeners) listener();
  }
  return {
    items: () => items,
    add(kept) {
      undos.push(...show([kept]));
      set([...items, kept]);
    },
    undo() {
      undos.pop()?.();
      set(items.slice(0, -1));
    },
    remove(indexes) {
      hide();
      const left = items.filter((_, at) => !indexes.has(at));
      undos = show(left);
      set(left);
    },
    clear() {
      hide();
      set([]);
    },
    close: hide,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
