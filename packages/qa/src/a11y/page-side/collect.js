/**
 * Runs all engines on the document, with the parts in this folder. Runs inside the page, so it
 * can't use anything outside the function.
 */
export async function collect(parts, options) {
  const { axe, accesslint, rules, makeRegister, makeAsk, askAxe } = parts;
  const kit = {};
  const register = makeRegister((rule, element) => kit.isVetoed?.(rule, element));
  /** Whether the frame that shows this document is out of everybody's reach. */
  const isFrameBlocked = () => {
    const frame = options.inFrame ? window.frameElement : null;
    if (!frame) return false;
    const modal = [...frame.ownerDocument.querySelectorAll("dialog")].findLast((dialog) =>
      dialog.matches(":modal"),
    );
    return frame.closest("[inert]") !== null || (modal !== undefined && !modal.contains(frame));
  };
  if (isFrameBlocked()) return { elements: [], issues: [], durationsMs: {}, failures: [] };
  const failures = [];
  const durationsMs = {};
  const guarded = async (name, work) => {
    try {
      await work();
    } catch (error) {
      failures.push(`${name}: ${String(error).slice(0, 200)}`);
    }
  };
  const timed = async (name, work) => {
    const started = performance.now();
    await guarded(name, work);
    durationsMs[name] = Math.round((performance.now() - started) * 10) / 10;
  };
  const { ask, goOn } = makeAsk(register, guarded);

  // One tree for our rules and axe's, so that they share cached results.
  await guarded("tree", () => {
    axe.setup(document);
    const marks = { ...parts.makeOutlines(document), ...parts.makeFocus(document) };
    const tree = parts.makeTree(axe);
    const labels = parts.makeLabels(tree);
    const names = { ...labels, ...parts.makeSpokenText(tree, labels) };
    const words = {
      ...parts.makeTextTools(document),
      ...parts.makeRotation(),
      ...parts.makeSound(),
    };
    Object.assign(kit, parts.makeKit(axe, document, names), words, tree, marks);
    Object.assign(kit, parts.makeReach(kit));
    if (options.vetoes) kit.isVetoed = parts.makeVetoes(kit);
  });
  await timed("own", async () => {
    for (const rule of rules) {
      if (!options.ownOff.includes(rule.id)) await ask(rule, kit);
    }
  });
  await timed("axe", () => askAxe(parts, register, options));
  await timed("accesslint", () => {
    const { violations } = accesslint.runAudit(document, {
      disabledRules: options.accesslintOff,
      componentMode: options.inFrame,
      includeAAA: options.accesslintAaa,
    });
    for (const { ruleId: rule, element, selector, impact, message } of violations) {
      // For a frame: its content is checked in the frame itself.
      if (!element && selector !== "html") continue;
      const on = element ?? document.documentElement;
      register.say(on, { engine: "accesslint", rule, impact, message, review: false });
    }
  });
  axe.teardown();
  await timed("later", goOn);
  return { elements: register.elements(), issues: register.issues, durationsMs, failures };
}
