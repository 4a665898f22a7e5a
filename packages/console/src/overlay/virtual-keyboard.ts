/** Smaller differences, in px, are a browser's toolbar, not a keyboard. */
const minKeyboardHeight = 100;

/**
 * Sets style properties for the part of the window that an on-screen keyboard leaves, so that a
 * full-screen sheet ends above it. Does nothing without a keyboard, or while the page is zoomed.
 */
export function watchVirtualKeyboard(box: HTMLElement, view: VisualViewport | null): void {
  if (view === null) return;
  const refresh = (): void => {
    const open = view.scale <= 1.01 && innerHeight - view.height >= minKeyboardHeight;
    const { style } = box;
    box.toggleAttribute("data-keyboard", open);
    if (open) {
      style.setProperty("--visible-height", `${view.height}px`);
      style.setProperty("--visible-top", `${view.offsetTop}px`);
    } else {
      style.removeProperty("--visible-height");
      style.removeProperty("--visible-top");
    }
  };
  view.addEventListener("resize", refresh);
  view.addEventListener("scroll", refresh);
}
