/** ACT akn7bn: a frame with something to use in it is in reach of the keyboard. */
export const frameTab = {
  id: "frame-focusable-content",
  act: ["akn7bn"],
  wcag: ["2.1.1"],
  impact: "serious",
  message:
    "What can be used in this frame cannot be reached by keyboard: the frame has a negative tabindex",
  needsLayout: true,
  *look({ all, shown }) {
    const usable =
      "a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, iframe, audio[controls], video[controls], [contenteditable=''], [contenteditable=true], [tabindex]";
    for (const element of all("iframe[tabindex]")) {
      if (!(Number.parseInt(element.getAttribute("tabindex") ?? "", 10) < 0) || !shown(element))
        continue;
      let inside = null;
      try {
        inside = element.contentDocument;
      } catch {
        // A stranger's page: it is not ours to tell.
      }
      const reachable = [...(inside?.querySelectorAll(usable) ?? [])].some((one) => {
        const box = one.getBoundingClientRect();
        return (
          box.width > 0 &&
          box.height > 0 &&
          !one.matches(":disabled, [inert] *") &&
          !(one.getAttribute("tabindex") ?? "").trim().startsWith("-")
        );
      });
      if (reachable) yield { element };
    }
  },
};
