/**
 * Finds elements that lose their focus outline. Runs inside the page, so it can't use anything
 * outside the function.
 */
export function makeOutlines(document) {
  const removes = (style) =>
    style.outlineStyle === "none" ||
    /^0(px)?$/.test(style.outlineWidth) ||
    style.outlineColor === "transparent";

  /** The selectors of the rules that remove an outline, as if everything had the focus. */
  const bareSelectors = () => {
    const selectors = [];
    const walk = (rules) => {
      for (const rule of rules) {
        if (rule.style && rule.selectorText && removes(rule.style)) {
          // The selector as if its elements had the focus.
          const bare = rule.selectorText.replace(
            /:not\(:focus(-visible|-within)?\)|:focus(-visible|-within)?/g,
            "",
          );
          selectors.push(
            ...bare
              .split(/,(?![^(]*\))/)
              .map((one) => (/[\w\])*]\s*$/.test(one) ? one : `${one}*`)),
          );
        }
        if (rule.cssRules) walk(rule.cssRules);
        if (rule.styleSheet) walkSheet(rule.styleSheet);
      }
    };
    const walkSheet = (sheet) => {
      try {
        walk(sheet.cssRules);
      } catch {
        // A style sheet from another origin can't be read.
      }
    };
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) walkSheet(sheet);
    return selectors;
  };

  return {
    /** Whether a style of the page removes the outline from a focused element. */
    makeLosesOutline() {
      const selectors = bareSelectors();
      return (element) =>
        removes(element.style) ||
        selectors.some((selector) => {
          try {
            return element.matches(selector);
          } catch {
            return false;
          }
        });
    },
  };
}
