import { type RefObject, useLayoutEffect } from "react";

/**
 * Moves the focus to the page's heading, because the focused element is gone. A closing dialog
 * still makes the heading inert and returns the focus, so this waits until none is open.
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

/** Whether nothing in the document, or in the part's shadow root, has the focus. */
export function isFocusLost(part: Element | null): boolean {
  const root = part?.getRootNode() as Document | ShadowRoot | undefined;
  if (!root) return false;
  return root.activeElement === null || root.activeElement === document.body;
}

/**
 * Moves the focus when the focused element disappears by itself, such as Retry after success: to
 * the heading of the page, dialog, panel, or section.
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
