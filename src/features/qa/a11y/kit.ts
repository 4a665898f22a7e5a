import type { Kit } from "./rule.ts";

interface AxeInside {
  commons: {
    aria: { getRole(element: Element): string | null; getExplicitRole(element: Element): string | null };
    text: { accessibleText(element: Element): string; visibleVirtual(node: unknown): string };
    dom: {
      isVisibleOnScreen(element: Element): boolean;
      isVisibleToScreenReaders(element: Element): boolean;
      isFocusable(element: Element): boolean;
      isInTabOrder(element: Element): boolean;
      isOffscreen(element: Element): boolean;
    };
  };
  utils: { getNodeFromTree(element: Element): unknown };
}

/** Makes what rules ask with. Runs inside the page: it may use nothing from around it. */
export function makeKit(axe: AxeInside, document: Document): Kit {
  const { aria, text, dom } = axe.commons;
  const styles = new Map<Element, CSSStyleDeclaration>();
  const roots: ParentNode[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
    }
  }
  const known = (element: Element): boolean => Boolean(axe.utils.getNodeFromTree(element));
  const parent = (element: Element): Element | null =>
    element.assignedSlot ??
    element.parentElement ??
    (element.getRootNode() as Partial<ShadowRoot>).host ??
    null;
  return {
    document,
    all: (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]).filter(known),
    role: (element) => aria.getRole(element),
    explicitRole: (element) => aria.getExplicitRole(element),
    name: (element) => text.accessibleText(element).trim(),
    visibleText: (element) =>
      text.visibleVirtual(axe.utils.getNodeFromTree(element)).replace(/\s+/g, " ").trim(),
    shown: (element) => dom.isVisibleOnScreen(element) && !dom.isOffscreen(element),
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
      const found: Text[] = [];
      while (walker.nextNode()) {
        const node = walker.currentNode as Text;
        if (/\S/.test(node.data) && !node.parentElement?.matches("script, style, template, noscript")) {
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
