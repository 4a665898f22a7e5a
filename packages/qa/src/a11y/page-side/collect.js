/**
 * Runs all engines on the document, with the parts in this folder. Runs inside the page, so it
 * can't use anything outside the function.
 */
export async function collect(parts, options) {
  const { axe, accesslint, rules, makeRegister, makeAsk, askAxe } = parts;
  const kit = {};
  const register = makeRegister((rule, element) => kit.isVetoed?.(rule, element));
  if (options.inFrame && parts.isFrameBlocked(window, parts)) {
    return { elements: [], issues: [], durationsMs: {}, failures: [] };
  }
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
    Object.assign(kit, parts.makeWholeKit(parts, document));
    if (options.vetoes) kit.isVetoed = parts.makeVetoes(kit);
  });
  await timed("own", async () => {
    for (const rule of rules) {
      if (!options.ownOff.includes(rule.id)) await ask(rule, kit);
    }
  });
  await timed("axe", () => askAxe(parts, register, options));
  await timed("accesslint", () => parts.askAccesslint(accesslint, register, options));
  axe.teardown();
  await timed("later", goOn);
  return { elements: register.elements(), issues: register.issues, durationsMs, failures };
}
