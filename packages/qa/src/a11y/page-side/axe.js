/**
 * Runs axe and, if requested, derives both contrast criteria, 1.4.3 and 1.4.6, from one run. Runs
 * inside the page, so it can't use anything outside the function.
 */
export function askAxe(parts, { say }, options) {
  const { axe, contrastBehind, makeColors, runAxeRules } = parts;
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
  const fromContrast = (node, element, review) => {
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
    }
    if (!options.bothContrasts || !/^bg(Image|Gradient)$/.test(data.messageKey ?? "")) return false;
    const best = contrastBehind(makeColors(), element);
    if (best === null) return false;
    if (best.ratio < best.needed) sayContrast(element, best, "vitrine");
    return true;
  };
  const fromAxe = ({ id, help }, nodes, review) => {
    for (const node of nodes) {
      const element = node.node?.element;
      if (!element) continue;
      if (id === "color-contrast" && fromContrast(node, element, review)) continue;
      const checks = [...node.all, ...node.none, ...node.any];
      const message = checks[0]?.message ?? help;
      say(element, { engine: "axe", rule: id, impact: node.impact, message, review });
    }
  };

  const results = runAxeRules(axe, {
    rules: Object.fromEntries([
      ...options.axeOn.map((id) => [id, { enabled: true }]),
      ...options.axeOff.map((id) => [id, { enabled: false }]),
    ]),
    checks: options.axeChecks,
    preload: false,
  });
  for (const result of results) fromAxe(result, result.violations, false);
  for (const result of results) fromAxe(result, result.incomplete, true);
}
