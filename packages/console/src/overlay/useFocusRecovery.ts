import { type RefObject, useEffect, useRef } from "react";

const canHave = (element: Element): boolean =>
  element.isConnected && element.checkVisibility() && !element.matches(":disabled");

/**
 * When what has the focus goes away or is disabled, the nearest part around it that can have it
 * (`tabIndex` -1 or 0) gets it: keys are heard only where the focus is. Whoever moves it on purpose
 * does so first, and who has gone elsewhere is left there.
 */
export function useFocusRecovery<E extends HTMLElement>(): RefObject<E | null> {
  const box = useRef<E>(null);
  useEffect(() => {
    const inside = box.current;
    if (inside === null) return;
    const root = inside.getRootNode() as ShadowRoot;
    // What had the focus last, and what it stands in, from the inside out.
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
    // From one part to another of the same shadow root it is not heard outside.
    inside.addEventListener("focusin", onMove);
    return () => {
      observer.disconnect();
      for (const type of ["focusin", "pointerdown"]) removeEventListener(type, onMove, true);
      inside.removeEventListener("focusin", onMove);
    };
  }, []);
  return box;
}
