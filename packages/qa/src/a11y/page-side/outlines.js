/** Who would lose the outline that shows the focus. Runs inside the page: it may use nothing from around it. */
export function makeOutlines(document) {
  const removes = (style) =>
    style.outlineStyle === "none" ||
    /^0(px)?$/.test(style.outlineWidth) ||
    style.outlineColor === "transparent";

  /** The selectors of the rules that take an outline away, as if everything were focused. */
  const bareSelectors = () => {
    const selectors = [];
    const walk = (rules) => {
      for (const rule of rules) {
        if (rule.style && rule.selectorText && removes(rule.style)) {
          // Whom it would meet were they focused.
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
        // A stranger's sheet cannot be read.
      }
    };
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) walkSheet(sheet);
    return selectors;
  };

  return {
    /** Whether a style of the page takes the outline from an element that is focused. */
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
