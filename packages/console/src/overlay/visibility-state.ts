/** What has opened the console; `resume`: it was open on the previous page. */
export type OpenedBy = "pill" | "keys" | "address" | "resume";

/**
 * Whether the console is open: controlled from outside React (launcher, shortcut, address) and
 * inside.
 */
export interface VisibilityState {
  isOpen(): boolean;
  openedBy(): OpenedBy | undefined;
  /** What had the focus when the console was opened. */
  origin(): Element | null;
  set(open?: boolean, by?: OpenedBy): void;
  subscribe(listener: () => void): () => void;
}

export function createVisibilityState(): VisibilityState {
  let open = false;
  let opening: OpenedBy | undefined;
  let origin: Element | null = null;
  const listeners = new Set<() => void>();
  return {
    isOpen: () => open,
    openedBy: () => opening,
    origin: () => origin,
    set(next = !open, by) {
      if (next === open) return;
      open = next;
      if (open) origin = document.activeElement;
      opening = by;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
