/**
 * Tracks which element a result is about, so that engines refer to the same ones. Runs inside the
 * page, so it can't use anything outside the function.
 */
export function makeRegister(isVetoed) {
  const indexes = new Map();
  const issues = [];
  const stableClass = /^[a-z][a-z-]{1,30}$/i;
  const stepOf = (element) => {
    const classes = (element.getAttribute("class") ?? "").split(/\s+/);
    const stable = classes.filter((name) => stableClass.test(name) && !name.startsWith("astro-"));
    const name = element.localName;
    return [name, ...stable.slice(0, 3)].join(".");
  };
  const above = (element) => element.parentElement ?? element.getRootNode().host ?? null;
  /** The same as `locate` in check.ts. */
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
  /** The shortest path from an ID or the root, for people. */
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
  const chrome = "header, footer, nav, [role=banner], [role=contentinfo], [role=navigation]";
  const describe = (element) => ({
    selector: selectorOf(element),
    locator: locatorOf(element),
    html: (element.outerHTML ?? "").slice(0, 1200).replace(/\s+/g, " ").slice(0, 300),
    text: (element.textContent ?? "").slice(0, 2000).replace(/\s+/g, " ").trim().slice(0, 80),
    // The same as `isShared` in check.ts.
    shared: !element.closest("main, article") && element.closest(chrome) !== null,
  });
  return {
    issues,
    say(element, issue) {
      if (isVetoed(issue.rule, element)) return;
      const index = indexes.get(element) ?? indexes.size;
      indexes.set(element, index);
      issues.push({ ...issue, element: index });
    },
    elements: () => Array.from(indexes.keys(), describe),
  };
}
