/** Less than this, in px, is a browser's toolbar, not a keyboard. */
const minKeyboardHeight = 100;

/**
 * Tells the style sheets how much of the window an on-screen keyboard leaves, so that a sheet over
 * the whole screen ends above it and shows what is being written. Without a keyboard, or while the page is magnified, nothing is told.
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
