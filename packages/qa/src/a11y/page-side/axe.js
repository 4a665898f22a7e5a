/** Runs axe. Runs inside the page, so it can't use anything outside the function. */
export function askAxe(parts, { say }, options) {
  const { axe, makeContrastAnswers, runAxeRules } = parts;
  const fromContrast = makeContrastAnswers(parts, say, options);
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
