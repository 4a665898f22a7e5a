/** ACT 6cfa84: nothing that is hidden from assistive technology takes the keyboard. */
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
    // What hands the focus on when it gets it, as the ends of a dialog do, is no stop.
    const stops = (element) => tabStop(element) && !element.hasAttribute("onfocus");
    /** An empty point at the edge of a dialog or a list of notices, which most often hands it on, too. */
    const isPoint = (element) => {
      const { width, height } = element.getBoundingClientRect();
      return element.matches("div, span") && element.childNodes.length === 0 && width * height <= 1;
    };
    for (const element of all("[aria-hidden='true' i]")) {
      if (element.localName === "body" || isWithin(element)) continue;
      const found = [element, ...inside(element)].filter(stops);
      // A dialog that is open may send the focus back where it comes from.
      if (found.length > 0) yield { element, review: isModalOpen() || found.every(isPoint) };
    }
  },
};
