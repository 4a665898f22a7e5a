import { useCallback, useLayoutEffect, useRef } from "react";

type Find = () => HTMLElement | null | undefined;

/** Gives the focus to what `find` names once the next render is on the page. */
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

/** The first control of an item of a list that is marked with `data-item`. */
export function controlOf(list: HTMLElement | null, key: string | undefined): HTMLElement | null {
  if (key === undefined) return null;
  const item = list?.querySelector(`[data-item="${CSS.escape(key)}"]`);
  return item?.querySelector<HTMLElement>("input, textarea, button:not(:disabled)") ?? null;
}
