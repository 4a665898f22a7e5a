import { type RefObject, useEffect, useRef } from "react";

const canHave = (element: Element): boolean =>
  element.isConnected && element.checkVisibility() && !element.matches(":disabled");

/**
 * When the focused element disappears or is disabled, the nearest focusable ancestor (`tabIndex` -1
 * or 0) gets the focus, because keys are handled only where the focus is. It doesn't interfere with
 * deliberate moves or other targets.
 */
export function useFocusRecovery<E extends HTMLElement>(): RefObject<E | null> {
  const box = useRef<E>(null);
  useEffect(() => {
    const inside = box.current;
    if (inside === null) return;
    const root = inside.getRootNode() as ShadowRoot;
    // The last focused element and its ancestors, from the inside out.
    let path: Element[] = [];
    const onMove = (event: Event): void => {
      const way = event.composedPath();
      const end = way.indexOf(inside);
      if (end < 0) path = [];
      else if (event.type === "focusin") path = way.slice(0, end) as Element[];
    };
    function refresh(): void {
      const [last] = path;
      if (!last || canHave(last) || root.activeElement !== null) return;
      const around = path.find((one) => one.hasAttribute("tabindex") && canHave(one));
      if (around instanceof HTMLElement) around.focus({ preventScroll: true });
    }
    const observer = new MutationObserver(() =>
      requestAnimationFrame(() => requestAnimationFrame(refresh)),
    );
    const attributeFilter = ["disabled", "hidden"];
    observer.observe(inside, { childList: true, subtree: true, attributeFilter });
    for (const type of ["focusin", "pointerdown"]) addEventListener(type, onMove, true);
    // Moves within the same shadow root aren't visible outside.
    inside.addEventListener("focusin", onMove);
    return () => {
      observer.disconnect();
      for (const type of ["focusin", "pointerdown"]) removeEventListener(type, onMove, true);
      inside.removeEventListener("focusin", onMove);
    };
  }, []);
  return box;
}
