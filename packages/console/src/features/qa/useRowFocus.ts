import { type RefObject, useEffect, useRef } from "react";

import { isFocusLost } from "../../ui/focus.ts";

/**
 * When the focused element disappears with its row (`data-row`), the next row gets the focus at the
 * element marked with `data-focus`.
 */
export function useRowFocus<E extends HTMLElement>(): {
  list: RefObject<E | null>;
  onFocus(target: EventTarget): void;
} {
  const list = useRef<E>(null);
  const last = useRef<{ key: string; index: number } | null>(null);
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  useEffect(() => {
    if (last.current === null) return;
    // After a dialog, which returns the focus to where it was opened.
    const frame = requestAnimationFrame(() => {
      const known = last.current;
      if (known === null || !isFocusLost(list.current)) return;
      const found = rows();
      const there = found.find((row) => row.dataset["row"] === known.key);
      const next = there ?? found[Math.min(known.index, found.length - 1)];
      next?.querySelector<HTMLElement>("[data-focus]")?.focus();
    });
    return () => cancelAnimationFrame(frame);
  });
  const onFocus = (target: EventTarget): void => {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
    const key = row?.dataset["row"];
    last.current = row && key ? { key, index: rows().indexOf(row) } : null;
  };
  return { list, onFocus };
}
