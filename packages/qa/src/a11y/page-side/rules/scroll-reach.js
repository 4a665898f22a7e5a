/**
 * ACT 0ssw9k: scrollable content can be scrolled by keyboard: it is focusable or contains something
 * focusable.
 */
export const scrollReach = {
  id: "scrollable-region-focusable",
  act: ["0ssw9k"],
  wcag: ["2.1.1"],
  impact: "serious",
  message: "It scrolls but can't be reached by keyboard",
  needsLayout: true,
  *run({ all, rendered, scrolls, takesFocus, texts }) {
    // The list of a combobox is controlled by its text field.
    const isLed = "[role=listbox], [role=tree], [role=grid], [role=menu], [role=dialog], datalist";
    for (const element of all("body *")) {
      if (!(element instanceof HTMLElement) || !rendered(element) || !scrolls(element)) continue;
      if (element.matches("select, textarea, input, iframe") || element.closest(isLed)) continue;
      if (element.clientWidth <= 1 || element.clientHeight <= 1) continue;
      const filled = texts(element).length > 0 || element.querySelector("img, svg, video, canvas");
      if (!filled || takesFocus(element)) continue;
      yield { element };
    }
  },
};
