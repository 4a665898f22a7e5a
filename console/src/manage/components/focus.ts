/** Takes the focus to the page's heading: what had it has gone. */
export function focusHeading(): void {
  // After the dialog, which gives the focus back to where it was opened.
  requestAnimationFrame(() => {
    const heading = document.querySelector<HTMLElement>("#manage h1");
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus();
  });
}
