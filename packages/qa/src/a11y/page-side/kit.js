/**
 * Creates the helpers for rules. Runs inside the page, so it can't use anything outside the
 * function.
 */
export function makeKit(axe, document, { otherName, isBare, isBlocked }) {
  const { aria, text, dom } = axe.commons;
  const styles = new Map();
  const roots = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
    }
  }
  /**
   * Several rules ask the same about an element, and none changes the page until all have asked.
   */
  const remembered = (ask) => {
    const answers = new Map();
    return (element) => {
      if (!answers.has(element)) answers.set(element, ask(element));
      return answers.get(element);
    };
  };
  const known = (element) => Boolean(axe.utils.getNodeFromTree(element));
  // The first existing role counts, including those for books.
  const roles = { fallback: true, dpub: true };
  const role = remembered((element) => aria.getRole(element, roles));
  const parent = (element) =>
    element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
  return {
    document,
    isBlocked,
    all: (selector) =>
      roots.flatMap((root) => Array.from(root.querySelectorAll(selector))).filter(known),
    role,
    explicitRole: (element) => aria.getExplicitRole(element, roles),
    implicitRole: (element) => aria.implicitRole(element),
    isRole: (token) => aria.isValidRole(token) || token === "generic",
    ariaTypes: axe.utils.getStandards().ariaAttrs,
    isLanguage: (code) => axe.utils.isValidLang(code),
    name: remembered((element) => {
      if (isBare(element)) return "";
      return text.accessibleText(element).trim() || otherName(element, role(element));
    }),
    /** The name from what axe doesn't consider, or nothing. */
    ownName: (element) => (isBare(element) ? "" : otherName(element, role(element))),
    isModalOpen: () => Boolean(dom.isModalOpen()),
    visibleText: (element) =>
      text.visibleVirtual(axe.utils.getNodeFromTree(element)).replace(/\s+/g, " ").trim(),
    // Elements that a browser adds, such as those in a template's copy, aren't in axe's tree.
    shown: remembered(
      (element) => known(element) && dom.isVisibleOnScreen(element) && !dom.isOffscreen(element),
    ),
    exposed: remembered(
      (element) => known(element) && !isBlocked(element) && dom.isVisibleToScreenReaders(element),
    ),
    focusable: (element) => dom.isFocusable(element),
    inTabOrder: (element) => dom.isInTabOrder(element),
    parent,
    style(element) {
      const kept = styles.get(element) ?? getComputedStyle(element);
      styles.set(element, kept);
      return kept;
    },
  };
}
