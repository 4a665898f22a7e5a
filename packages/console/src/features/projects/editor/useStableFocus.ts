import { type RefObject, useEffect } from "react";

const focusable =
  "button:not(:disabled), input:not(:disabled, [type='file']), textarea, select, summary, a[href]";

function parentsOf(element: Element): Element[] {
  const parents: Element[] = [];
  for (let at = element.parentElement; at; at = at.parentElement) parents.push(at);
  return parents;
}

/**
 * Within the container the focus never falls to the page's beginning: when what had it goes (a
 * notice that was answered, an upload that is done), the nearest control around it takes over.
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
