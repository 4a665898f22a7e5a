import { type RefObject, useLayoutEffect } from "react";

/**
 * Takes the focus to the page's heading: what had it has gone. A dialog that is about to leave
 * keeps the heading out of reach, and gives the focus back to where it was opened; so this waits
 * until none is open.
 */
export function focusHeading(): void {
  requestAnimationFrame(() => {
    if (document.querySelector("dialog:modal")) return focusHeading();
    const heading = document.querySelector<HTMLElement>("#manage h1");
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus();
  });
}

/** Whether nothing has the focus of the page, or of the shadow root, that a part stands in. */
export function isFocusLost(part: Element | null): boolean {
  const root = part?.getRootNode() as Document | ShadowRoot | undefined;
  if (!root) return false;
  return root.activeElement === null || root.activeElement === document.body;
}

/**
 * Hands the focus on when what has it leaves the page by itself, such as Retry once it has worked: to
 * the heading of the page, or of the dialog, panel or section that it was in.
 */
export function useFocusHandover(part: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = part.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      const around = element.closest("dialog, .task-panel, .settings-section, #manage");
      requestAnimationFrame(() => {
        const heading = around?.querySelector<HTMLElement>("h1, h2");
        if (!heading?.isConnected || document.activeElement !== document.body) return;
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      });
    };
  }, [part]);
}
