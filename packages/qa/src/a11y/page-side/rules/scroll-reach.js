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
  *run({ all, style, rendered, inside, tabStop, texts }) {
    const px = (value) => Number.parseFloat(value) || 0;
    const scrolls = (element) => {
      const of = style(element);
      const line = px(of.lineHeight) || px(of.fontSize) * 1.2;
      const down = element.scrollHeight - element.clientHeight;
      const along = element.scrollWidth - element.clientWidth;
      // Scrolling only padding, or half a line, hides nothing.
      const hidden = [
        [of.overflowY, down - px(of.paddingTop) - px(of.paddingBottom)],
        [of.overflowX, along - px(of.paddingLeft) - px(of.paddingRight)],
      ];
      return hidden.some(([overflow, far]) => /auto|scroll/.test(overflow) && far >= line / 2);
    };
    // The list of a combobox is controlled by its text field.
    const isLed = "[role=listbox], [role=tree], [role=grid], [role=menu], [role=dialog], datalist";
    for (const element of all("body *")) {
      if (!(element instanceof HTMLElement) || !rendered(element) || !scrolls(element)) continue;
      if (element.matches("select, textarea, input, iframe") || element.closest(isLed)) continue;
      if (element.clientWidth <= 1 || element.clientHeight <= 1) continue;
      const filled = texts(element).length > 0 || element.querySelector("img, svg, video, canvas");
      if (!filled || tabStop(element) || [...inside(element)].some(tabStop)) continue;
      yield { element };
    }
  },
};
