/** ACT akn7bn: a frame with interactive content can be reached by keyboard. */
export const frameTab = {
  id: "frame-focusable-content",
  act: ["akn7bn"],
  wcag: ["2.1.1"],
  impact: "serious",
  message:
    "The controls in this frame can't be reached by keyboard: the frame has a negative tabindex",
  needsLayout: true,
  *run({ all, shown, stopsIn }) {
    /** Whether it is visible, possibly after scrolling. */
    const isSeen = (element) => {
      const box = element.getBoundingClientRect();
      const { scrollX, scrollY } = element.ownerDocument.defaultView;
      const isBig = box.width > 0 && box.height > 0;
      return isBig && box.right + scrollX > 0 && box.bottom + scrollY > 0;
    };
    for (const element of all("iframe[tabindex]")) {
      if (!(Number.parseInt(element.getAttribute("tabindex") ?? "", 10) < 0) || !shown(element))
        continue;
      if (element.clientWidth <= 1 || element.clientHeight <= 1) continue;
      if ([...stopsIn(element)].some(isSeen)) yield { element };
    }
  },
};
