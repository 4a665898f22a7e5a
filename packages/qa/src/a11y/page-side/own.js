/**
 * Runs our own rules. A rule that changes the page yields `later` first and continues when the
 * engines have seen the page unchanged. Runs inside the page, so it can't use anything outside the
 * function.
 */
export function makeAsk({ say }, guarded) {
  const waiting = [];
  const sayAll = (rule, steps) => {
    for (let step = steps.next(); !step.done; step = steps.next()) {
      const found = step.value;
      if (found === "later") {
        waiting.push([rule, steps]);
        return;
      }
      say(found.element, {
        engine: "vitrine",
        rule: found.rule ?? rule.id,
        impact: rule.impact,
        message: found.message ?? "",
        review: found.review ?? false,
        ...(found.act && { act: found.act }),
      });
    }
  };
  return {
    ask: (rule, kit) => guarded(rule.id, () => sayAll(rule, rule.run(kit))),
    async goOn() {
      for (const [rule, steps] of waiting) await guarded(rule.id, () => sayAll(rule, steps));
    },
  };
}
