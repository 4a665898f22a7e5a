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
