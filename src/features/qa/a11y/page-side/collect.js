/** What one engine says of one element, before engines are put together. */

/** The engines as they are in the page. */

/**
 * Runs all engines over the document that it is in. Runs inside the page: it may use nothing from
 * around it.
 */
export async function collect({ axe, accesslint }, rules, makeKit, contrastBehind, options) {
  /** What axe looks for, with the numbers of 1.4.6. */
  const enhanced = {
    ignoreUnicode: true,
    ignoreLength: false,
    ignorePseudo: false,
    boldValue: 700,
    boldTextPt: 14,
    largeTextPt: 18,
    contrastRatio: { normal: { expected: 7 }, large: { expected: 4.5 } },
    pseudoSizeThreshold: 0.25,
    shadowOutlineEmMax: 0.2,
    textStrokeEmMin: 0.03,
  };
  const indexes = new Map();
  const issues = [];
  const failures = [];
  const took = {};

  const stableClass = /^[a-z][a-z-]{1,30}$/i;
  const stepOf = (element) => {
    const classes = (element.getAttribute("class") ?? "").split(/\s+/);
    const stable = classes.filter((name) => stableClass.test(name) && !name.startsWith("astro-"));
    const name = element.localName;
    return [name, ...stable.slice(0, 3)].join(".");
  };
  const above = (element) => element.parentElement ?? element.getRootNode().host ?? null;
  /** The same as `locate` of check.ts makes of markup. */
  const locatorOf = (element) => {
    const steps = [];
    for (let at = element; at; at = above(at)) {
      steps.push(stepOf(at));
      if (steps.length >= 4 || at.localName === "body") break;
      const id = at.getAttribute("id");
      if (id !== null && at !== element) {
        steps.push(`#${id}`);
        break;
      }
    }
    return steps.toReversed().join(" ");
  };
  /** The shortest way down from an id or the root, for people. */
  const selectorOf = (element) => {
    const steps = [];
    for (let at = element; at; at = above(at)) {
      const id = at.getAttribute("id");
      if (id !== null && /^[a-z][\w-]*$/i.test(id)) {
        steps.push(`#${id}`);
        break;
      }
      const name = at.localName;
      const twins = [...(at.parentElement?.children ?? [])].filter(
        (other) => other.localName === name,
      );
      steps.push(twins.length > 1 ? `${name}:nth-of-type(${twins.indexOf(at) + 1})` : name);
      if (name === "body" || name === "html" || steps.length > 12) break;
    }
    return steps.toReversed().join(" > ");
  };
  /** The same as `isShared` of check.ts says of markup. */
  const isShared = (element) =>
    !element.closest("main, article") &&
    Boolean(
      element.closest("header, footer, nav, [role=banner], [role=contentinfo], [role=navigation]"),
    );
  const numberOf = (element) => {
    const known = indexes.get(element);
    if (known !== undefined) return known;
    indexes.set(element, indexes.size);
    return indexes.size - 1;
  };
  const describe = (element) => ({
    selector: selectorOf(element),
    locator: locatorOf(element),
    html: (element.outerHTML ?? "").slice(0, 1200).replace(/\s+/g, " ").slice(0, 300),
    text: (element.textContent ?? "").slice(0, 2000).replace(/\s+/g, " ").trim().slice(0, 80),
    shared: isShared(element),
  });
  const timed = async (name, work) => {
    const started = performance.now();
    try {
      await work();
    } catch (error) {
      failures.push(`${name}: ${String(error).slice(0, 200)}`);
    }
    took[name] = Math.round((performance.now() - started) * 10) / 10;
  };

  const say = (issue, element) => {
    issues.push({ ...issue, element: numberOf(element) });
  };
  const sayContrast = (element, contrast, engine) => {
    const common = { engine, message: "", review: false };
    if (!options.bothContrasts) {
      say({ ...common, rule: "color-contrast", impact: "serious", contrast }, element);
      return;
    }
    const needed = contrast.needed > 4.5 ? 4.5 : 3;
    const wanted = { ...contrast, needed: contrast.needed };
    say({ ...common, rule: "color-contrast-enhanced", impact: "minor", contrast: wanted }, element);
    if (contrast.ratio < needed) {
      const least = { ...contrast, needed };
      say({ ...common, rule: "color-contrast", impact: "serious", contrast: least }, element);
    }
  };
  /** Whether it was a question of contrast, and has been answered. */
  const fromContrast = (node, element, review) => {
    const data = node.any[0]?.data ?? {};
    const { fgColor, bgColor, contrastRatio, expectedContrastRatio } = data;
    if (!review && fgColor && bgColor && contrastRatio) {
      const needed = Number.parseFloat(expectedContrastRatio ?? "4.5");
      sayContrast(element, { front: fgColor, back: bgColor, ratio: contrastRatio, needed }, "axe");
      return true;
    }
    if (!options.bothContrasts || !/^bg(Image|Gradient)$/.test(data.messageKey ?? "")) return false;
    const best = contrastBehind(element);
    if (best === null) return false;
    if (best.ratio < best.needed) sayContrast(element, best, "vitrine");
    return true;
  };
  const fromAxe = (results, review) => {
    for (const { id, help, nodes } of results) {
      for (const node of nodes) {
        if (!node.element) continue;
        if (id === "color-contrast" && fromContrast(node, node.element, review)) continue;
        const checks = [...node.all, ...node.none, ...node.any];
        const message = checks[0]?.message ?? help;
        say({ engine: "axe", rule: id, impact: node.impact, message, review }, node.element);
      }
    }
  };

  await timed("own", () => {
    axe.setup(document);
    try {
      const kit = makeKit(axe, document);
      for (const rule of rules) {
        if (options.ownOff.includes(rule.id)) continue;
        try {
          for (const found of rule.look(kit)) {
            const { element, message, review, act } = found;
            issues.push({
              engine: "vitrine",
              rule: found.rule ?? rule.id,
              element: numberOf(element),
              impact: rule.impact,
              message: message ?? "",
              review: review ?? false,
              ...(act && { act }),
            });
          }
        } catch (error) {
          failures.push(`${rule.id}: ${String(error).slice(0, 200)}`);
        }
      }
    } finally {
      axe.teardown();
    }
  });
  await timed("axe", async () => {
    const { violations, incomplete } = await axe.run(document, {
      resultTypes: ["violations", "incomplete"],
      rules: Object.fromEntries([
        ...options.axeOn.map((id) => [id, { enabled: true }]),
        ...options.axeOff.map((id) => [id, { enabled: false }]),
      ]),
      ...(options.bothContrasts && { checks: { "color-contrast": { options: enhanced } } }),
      selectors: false,
      elementRef: true,
      iframes: false,
      preload: false,
    });
    fromAxe(violations, false);
    fromAxe(incomplete, true);
  });
  await timed("accesslint", () => {
    const { violations } = accesslint.runAudit(document, {
      disabledRules: options.accesslintOff,
      componentMode: options.inFrame,
      includeAAA: options.accesslintAaa,
    });
    for (const { ruleId, element, selector, impact, message } of violations) {
        // Of a frame: it is asked in the frame itself.
        if (!element && selector !== "html") continue;
      issues.push({
        engine: "accesslint",
        rule: ruleId,
        element: numberOf(element ?? document.documentElement),
        impact,
        message,
        review: false,
      });
    }
  });
  return { elements: [...indexes.keys()].map(describe), issues, took, failures };
}
