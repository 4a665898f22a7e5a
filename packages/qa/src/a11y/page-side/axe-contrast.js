/**
 * Makes what reports axe's results about contrast: if requested, both criteria, 1.4.3 and 1.4.6, are
 * derived from one run. Runs inside the page, so it can't use anything outside the function.
 */
export function makeContrastAnswers({ contrastBehind, makeColors }, say, options) {
  const sayContrast = (element, contrast, engine) => {
    const common = { engine, message: "", review: false };
    if (!options.bothContrasts) {
      say(element, { ...common, rule: "color-contrast", impact: "serious", contrast });
      return;
    }
    const needed = contrast.needed > 4.5 ? 4.5 : 3;
    const wanted = { ...contrast, needed: contrast.needed };
    say(element, { ...common, rule: "color-contrast-enhanced", impact: "minor", contrast: wanted });
    if (contrast.ratio < needed) {
      const least = { ...contrast, needed };
      say(element, { ...common, rule: "color-contrast", impact: "serious", contrast: least });
    }
  };
  /** Whether it was a question about contrast that has been answered. */
  return (node, element, review) => {
    const data = node.any[0]?.data ?? {};
    const { fgColor, bgColor, contrastRatio, expectedContrastRatio } = data;
    if (!review && fgColor && bgColor && contrastRatio) {
      const needed = Number.parseFloat(expectedContrastRatio ?? "4.5");
      sayContrast(element, { front: fgColor, back: bgColor, ratio: contrastRatio, needed }, "axe");
      return true;
    }
    // A single character may be a symbol. If it has enough contrast for text, that doesn't matter.
    if (options.bothContrasts && data.messageKey === "shortTextContent" && contrastRatio) {
      const needed = Number.parseFloat(expectedContrastRatio ?? "7") > 4.5 ? 4.5 : 3;
      if (contrastRatio >= needed) return true;
      // The number of a page or step is text.
      const isNumber = /^\s*\p{N}\s*$/u.test(element.textContent ?? "");
      if (isNumber && fgColor && bgColor && element.closest("a[href], button")) {
        const contrast = { front: fgColor, back: bgColor, ratio: contrastRatio };
        const wanted = Number.parseFloat(expectedContrastRatio ?? "7");
        sayContrast(element, { ...contrast, needed: wanted }, "axe");
        return true;
      }
    }
    if (!options.bothContrasts || !/^bg(Image|Gradient)$/.test(data.messageKey ?? "")) return false;
    const best = contrastBehind(makeColors(), element);
    if (best === null) return false;
    if (best.ratio < best.needed) sayContrast(element, best, "vitrine");
    return true;
  };
}
