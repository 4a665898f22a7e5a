/**
 * Runs axe's rules on the tree from `axe.setup`, including what other rules have cached on it, and
 * returns all results except passes. `axe.run` would return the same but builds its own tree and
 * takes a third longer. Runs inside the page, so it can't use anything outside the function.
 */
export function runAxeRules(axe, options) {
  const { _audit: audit, _tree: tree, utils } = axe;
  audit.noHtml = true;
  // oxlint-disable-next-line no-underscore-dangle -- axe's own name
  axe._selectCache = [];
  // Like axe's own start of a page.
  const context = {
    include: [tree[0]],
    exclude: [],
    frames: [],
    page: true,
    initiator: true,
    focusable: true,
    size: {},
    flatTree: tree,
  };
  /** Elements without failures are dropped before messages are generated. */
  const isPassed = ({ any, all, none }) =>
    (any.length === 0 || any.some(({ result }) => result === true)) &&
    all.every(({ result }) => result === true) &&
    none.every(({ result }) => result === false);
  const resultsOf = (rule) => {
    const [result] = audit.after([rule.runSync(context, options)], options);
    if (result.error) throw result.error;
    result.nodes = result.nodes.filter((node) => !isPassed(node));
    if (result.nodes.length === 0) return [];
    utils.publishMetaData(result);
    return [utils.finalizeRuleResult(result)];
  };
  /** A rule that fails itself is reported as a question, as in axe. */
  const questionOf = ({ id }) => {
    const node = { element: document.documentElement };
    const result = { node, any: [], all: [], none: [], impact: null };
    return { id, help: "", violations: [], incomplete: [result] };
  };
  return audit.rules
    .filter((rule) => utils.ruleShouldRun(rule, context, options))
    .flatMap((rule) => {
      try {
        return resultsOf(rule);
      } catch {
        return questionOf(rule);
      }
    });
}

/** Axe would parse a color again for each element that has it. */
export function cacheColors({ prototype }) {
  const known = new Map();
  const parse = prototype.parseString;
  prototype.parseString = function parseString(text) {
    const color = known.get(text);
    if (color) return Object.assign(this, color);
    parse.call(this, text);
    const { r, g, b, alpha } = this;
    known.set(text, { r, g, b, alpha });
    return this;
  };
}
