/** Whether the console is open: told from outside React (pill, shortcut, address) and inside. */
export interface Switch {
  isOpen(): boolean;
  /** Whether opening may take the focus: not when a page merely continues with an open console. */
  takesFocus(): boolean;
  /** What had the focus when the console was opened. */
  origin(): Element | null;
  set(open?: boolean, quiet?: boolean): void;
  subscribe(listener: () => void): () => void;
}

export function makeSwitch(): Switch {
  let open = false;
  let focus = true;
  let origin: Element | null = null;
  const listeners = new Set<() => void>();
  return {
    isOpen: () => open,
    takesFocus: () => focus,
    origin: () => origin,
    set(next = !open, quiet = false) {
      if (next === open) return;
      open = next;
      if (open) origin = document.activeElement;
      focus = !quiet;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
