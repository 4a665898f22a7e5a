/**
 * Runs axe's rules over the tree that `axe.setup` has made, with what other rules have found out on it,
 * and gives back those of its results that are no passes. `axe.run` says the same of them: it makes a
 * tree of its own, and takes a third longer. Runs inside the page: it may use nothing from around it.
 */
export function runAxeRules(axe, options) {
  const { _audit: audit, _tree: tree, utils } = axe;
  audit.noHtml = true;
  // oxlint-disable-next-line no-underscore-dangle -- axe's own name
  axe._selectCache = [];
  // As axe itself begins a page.
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
  /** What fails nothing is dropped before words are found for it. */
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
  /** A rule that fails itself is a question about the page, as axe has it. */
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

/** Axe takes a color apart anew each time that an element has it. */
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
