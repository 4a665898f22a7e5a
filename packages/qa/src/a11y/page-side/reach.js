/**
 * What scrolling and the Tab key reach. Runs inside the page, so it can't use anything outside the
 * function.
 */
export function makeReach({ style, inside, tabStop }) {
  const px = (value) => Number.parseFloat(value) || 0;
  const holdsFocus = (element) => [...inside(element)].some(tabStop);
  return {
    holdsFocus,
    /** Whether scrolling shows content that it hides. */
    scrolls(element) {
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
    },
    /** Whether the Tab key reaches it or something in it. */
    takesFocus: (element) => tabStop(element) || holdsFocus(element),
  };
}
