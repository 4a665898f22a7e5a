import type { InlineEdit } from "../../api/types.ts";
import { tabStorage } from "../../ui/storage.ts";
import { showEdit } from "./page-text.ts";

/** An edit that waits to be built. */
export interface KeptEdit {
  edit: InlineEdit;
  /** The address of the image that was dropped. */
  src: string | null;
}

const key = "inline-edits";

/** The most that one run makes; the server's own bound. */
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

/** The edits of this tab, in their order; a reload or the end of a session loses none of them. */
export interface EditList {
  items(): readonly KeptEdit[];
  /** Keeps an edit and shows it on the page. */
  add(kept: KeptEdit): void;
  /** Takes the last edit back. */
  undo(): void;
  /** Takes away the edits with these numbers. */
  remove(indexes: ReadonlySet<number>): void;
  /** Takes all of them back. */
  clear(): void;
  /** The page is as it is live again; the edits stay kept. */
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
