/* Where elements are, for screenshots of them. */

/**
 * The boxes of the first elements that selectors match, in the document's coordinates; null for
 * what isn't displayed.
 */
export const readBoxes = (selectors) =>
  selectors.map((selector) => {
    try {
      const element = document.querySelector(selector);
      const box = element?.getBoundingClientRect();
      if (!box || box.width < 1 || box.height < 1) return null;
      const { width, height } = box;
      return { left: box.left + scrollX, top: box.top + scrollY, width, height };
    } catch {
      // Not a selector.
      return null;
    }
  });
