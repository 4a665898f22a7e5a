/** Runs accesslint. Runs inside the page, so it can't use anything outside the function. */
export function askAccesslint(accesslint, { say }, options) {
  const { violations } = accesslint.runAudit(document, {
    disabledRules: options.accesslintOff,
    componentMode: options.inFrame,
    includeAAA: options.accesslintAaa,
  });
  /** Ours and axe name the outermost hidden element; accesslint names each one in it. */
  const outermostHidden = (element) => {
    let found = element;
    for (let at = element; at; at = at.parentElement ?? at.getRootNode().host ?? null) {
      if (at.getAttribute("aria-hidden")?.toLowerCase() === "true") found = at;
    }
    return found;
  };
  for (const { ruleId: rule, element, selector, impact, message } of violations) {
    // For a frame: its content is checked in the frame itself.
    if (!element && selector !== "html") continue;
    const named = element ?? document.documentElement;
    const on = rule === "aria/aria-hidden-focus" ? outermostHidden(named) : named;
    say(on, { engine: "accesslint", rule, impact, message, review: false });
  }
}
