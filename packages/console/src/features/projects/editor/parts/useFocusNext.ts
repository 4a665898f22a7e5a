import { useCallback, useLayoutEffect, useRef } from "react";

type Find = () => HTMLElement | null | undefined;

/** Focuses the element that `find` returns after the next render. */
export function useFocusNext(): (find: Find) => void {
  const wanted = useRef<Find | null>(null);
  useLayoutEffect(() => {
    const find = wanted.current;
    wanted.current = null;
    find?.()?.focus();
  });
  return useCallback((find: Find) => {
    wanted.current = find;
  }, []);
}

/** The first control of a list item marked with `data-item`. */
export function controlOf(list: HTMLElement | null, key: string | undefined): HTMLElement | null {
  if (key === undefined) return null;
  const item = list?.querySelector(`[data-item="${CSS.escape(key)}"]`);
  return item?.querySelector<HTMLElement>("input, textarea, button:not(:disabled)") ?? null;
}
