/** Runs accesslint. Runs inside the page, so it can't use anything outside the function. */
export function askAccesslint(accesslint, { say }, options) {
  const { violations } = accesslint.runAudit(document, {
    disabledRules: options.accesslintOff,
    componentMode: options.inFrame,
    includeAAA: options.accesslintAaa,
  });
  for (const { ruleId: rule, element, selector, impact, message } of violations) {
    // For a frame: its content is checked in the frame itself.
    if (!element && selector !== "html") continue;
    const on = element ?? document.documentElement;
    say(on, { engine: "accesslint", rule, impact, message, review: false });
  }
}
