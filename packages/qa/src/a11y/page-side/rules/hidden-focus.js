/** ACT 6cfa84: nothing hidden from assistive technology is focusable. */
export const hiddenFocus = {
  id: "aria-hidden-focus",
  act: ["6cfa84"],
  wcag: ["1.3.1", "4.1.2"],
  impact: "serious",
  message: "It is hidden from assistive technology but can be focused",
  *run({ all, parent, inside, tabStop, isModalOpen }) {
    const isHidden = (element) => element.getAttribute("aria-hidden")?.toLowerCase() === "true";
    const isWithin = (element) => {
      for (let at = parent(element); at; at = parent(at)) if (isHidden(at)) return true;
      return false;
    };
    // An element that passes the focus on, such as the ends of a dialog, isn't a stop.
    const stops = (element) => tabStop(element) && !element.hasAttribute("onfocus");
    /**
     * An empty element at the edge of a dialog or a list of notifications, which usually passes the
     * focus on.
     */
    const isPoint = (element) => {
      const { width, height } = element.getBoundingClientRect();
      return element.matches("div, span") && element.childNodes.length === 0 && width * height <= 1;
    };
    for (const element of all("[aria-hidden='true' i]")) {
      if (element.localName === "body" || isWithin(element)) continue;
      const found = [element, ...inside(element)].filter(stops);
      // An open dialog may send the focus back.
      if (found.length > 0) yield { element, review: isModalOpen() || found.every(isPoint) };
    }
  },
};
