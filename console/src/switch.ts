/** What has opened the console; `resume`: the page before this one had it open. */
export type Opening = "pill" | "keys" | "address" | "resume";

/** Whether the console is open: told from outside React (pill, shortcut, address) and inside. */
export interface Switch {
  isOpen(): boolean;
  openedBy(): Opening | undefined;
  /** What had the focus when the console was opened. */
  origin(): Element | null;
  set(open?: boolean, by?: Opening): void;
  subscribe(listener: () => void): () => void;
}

export function makeSwitch(): Switch {
  let open = false;
  let opening: Opening | undefined;
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
