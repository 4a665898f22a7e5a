/** Makes what rules ask with. Runs inside the page: it may use nothing from around it. */
export function makeKit(axe, document) {
  const { aria, text, dom } = axe.commons;
  const styles = new Map();
  const roots = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
    }
  }
  /** Several rules ask the same of an element, and none changes the page until all have asked. */
  const remembered = (ask) => {
    const answers = new Map();
    return (element) => {
      if (!answers.has(element)) answers.set(element, ask(element));
      return answers.get(element);
    };
  };
  const known = (element) => Boolean(axe.utils.getNodeFromTree(element));
  const parent = (element) =>
    element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
  return {
    document,
    all: (selector) =>
      roots.flatMap((root) => Array.from(root.querySelectorAll(selector))).filter(known),
    role: remembered((element) => aria.getRole(element)),
    explicitRole: (element) => aria.getExplicitRole(element),
    name: remembered((element) => text.accessibleText(element).trim()),
    visibleText: (element) =>
      text.visibleVirtual(axe.utils.getNodeFromTree(element)).replace(/\s+/g, " ").trim(),
    shown: remembered((element) => dom.isVisibleOnScreen(element) && !dom.isOffscreen(element)),
    exposed: (element) => dom.isVisibleToScreenReaders(element),
    focusable: (element) => dom.isFocusable(element),
    inTabOrder: (element) => dom.isInTabOrder(element),
    parent,
    style(element) {
      const kept = styles.get(element) ?? getComputedStyle(element);
      styles.set(element, kept);
      return kept;
    },
    texts(element) {
      const walker = document.createTreeWalker(element, 4);
      const found = [];
      while (walker.nextNode()) {
        const node = walker.currentNode;
        if (
          /\S/.test(node.data) &&
          !node.parentElement?.matches("script, style, template, noscript")
        ) {
          found.push(node);
        }
      }
      return found;
    },
    plain: (words) =>
      words
        .normalize("NFKC")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .trim(),
  };
}
