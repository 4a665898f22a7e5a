import { type RefObject, useEffect } from "react";

const focusable =
  "button:not(:disabled), input:not(:disabled, [type='file']), textarea, select, summary, a[href]";

function parentsOf(element: Element): Element[] {
  const parents: Element[] = [];
  for (let at = element.parentElement; at; at = at.parentElement) parents.push(at);
  return parents;
}

/**
 * Keeps the focus within the container: when the focused element disappears (an answered notice, a
 * finished upload), the nearest control gets it.
 */
export function useStableFocus(container: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = container.current;
    if (root === null) return;
    let last: Element | null = null;
    let parents: Element[] = [];
    const abort = new AbortController();
    root.addEventListener(
      "focusin",
      ({ target }) => {
        last = target as Element;
        parents = parentsOf(last);
      },
      { signal: abort.signal },
    );
    const observer = new MutationObserver(() => {
      if (last === null || last.isConnected || document.activeElement !== document.body) return;
      for (const parent of parents) {
        const next = parent.isConnected ? parent.querySelector<HTMLElement>(focusable) : null;
        if (!next || !root.contains(next)) continue;
        next.focus();
        return;
      }
    });
    observer.observe(root, { childList: true, subtree: true });
    return () => {
      abort.abort();
      observer.disconnect();
    };
  }, [container]);
}
