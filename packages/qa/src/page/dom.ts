import type { Htmlparser2TreeAdapterMap } from "parse5-htmlparser2-tree-adapter";

export type Element = Htmlparser2TreeAdapterMap["element"];
export type Node = Htmlparser2TreeAdapterMap["node"];
export type Document = Htmlparser2TreeAdapterMap["document"];

/** Whether a node is an element; `script` and `style` have types of their own in this tree. */
export function isElement(node: Node | null | undefined): node is Element {
  return node !== null && node !== undefined && "attribs" in node;
}

/** An attribute's value; undefined if it isn't there. */
export function attribute(element: Element, name: string): string | undefined {
  return Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined;
}

/** The element that this one is in; null for the root. */
export function parentOf(element: Element): Element | null {
  return isElement(element.parent) ? element.parent : null;
}

/** The elements that this one is in, from the nearest to the root. */
export function* ancestorsOf(element: Element): Generator<Element> {
  for (let at = parentOf(element); at; at = parentOf(at)) yield at;
}

/** This element, or its nearest ancestor, that passes `test`. */
export function closest(
  element: Element,
  test: (candidate: Element) => boolean,
): Element | undefined {
  if (test(element)) return element;
  for (const ancestor of ancestorsOf(element)) if (test(ancestor)) return ancestor;
  return undefined;
}

/**
 * All descendants in the order of the source, without recursion, because pages may nest very
 * deeply.
 */
export function* nodesBelow(root: Node): Generator<Node> {
  const stack: Node[] = "children" in root ? root.children.toReversed() : [];
  for (let node = stack.pop(); node; node = stack.pop()) {
    yield node;
    if ("children" in node) {
      for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i] as Node);
    }
  }
}

export function* elementsBelow(root: Node): Generator<Element> {
  for (const node of nodesBelow(root)) if (isElement(node)) yield node;
}

export function isText(node: Node): node is Htmlparser2TreeAdapterMap["textNode"] {
  return node.type === "text";
}

/** Elements whose text is never visible. */
const invisibleElements = new Set(["script", "style", "template", "noscript", "head", "datalist"]);

export function isInvisibleElement(element: Element): boolean {
  return invisibleElements.has(element.name);
}

/** The text in an element as written, with white space collapsed, at most 10,000 characters. */
export function textOf(element: Node): string {
  let text = "";
  for (const node of nodesBelow(element)) {
    if (!isText(node) || (isElement(node.parent) && isInvisibleElement(node.parent))) continue;
    text += node.data;
    if (text.length > 10_000) break;
  }
  return text.replace(/\s+/g, " ").trim();
}

/** The raw text of a `script` or `style` element. */
export function rawText(element: Element): string {
  return element.children.map((child) => (isText(child) ? child.data : "")).join("");
}

const hiddenStyle = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i;

/** Whether the markup itself hides an element from everyone; style sheets don't count. */
export function isHiddenByMarkup(element: Element): boolean {
  if (isInvisibleElement(element) || attribute(element, "hidden") !== undefined) return true;
  if (element.name === "dialog" && attribute(element, "open") === undefined) return true;
  const style = attribute(element, "style");
  return style !== undefined && hiddenStyle.test(style);
}

/** Makes a cached test that is true for an element if it is true for the element or an ancestor. */
function inherited(test: (element: Element) => boolean): (element: Element) => boolean {
  const known = new WeakMap<Element, boolean>();
  return (element) => {
    const checked: Element[] = [];
    let holds = false;
    for (let at: Element | null = element; at; at = parentOf(at)) {
      const reported = known.get(at);
      holds = reported ?? test(at);
      if (reported === undefined) checked.push(at);
      if (holds || reported !== undefined) break;
    }
    for (const one of checked) known.set(one, holds);
    return holds;
  };
}

/** Whether the markup hides an element from everyone. */
export const isHidden = inherited(isHiddenByMarkup);

/** Whether the markup hides an element from assistive technology. */
export const isHiddenFromReaders = inherited(
  (at) => isHiddenByMarkup(at) || attribute(at, "aria-hidden") === "true",
);

/** An element's explicit role, in lower case; the first of several. */
export function roleOf(element: Element): string {
  const role = attribute(element, "role");
  return role === undefined ? "" : (role.trim().toLowerCase().split(/\s+/)[0] ?? "");
}

const focusable = new Set(["button", "input", "select", "textarea", "summary", "iframe"]);

/** Whether an element is focusable according to its markup. */
function isFocusable(element: Element): boolean {
  if (attribute(element, "tabindex") !== undefined) return true;
  if (element.name === "a" || element.name === "area")
    return attribute(element, "href") !== undefined;
  return focusable.has(element.name) && attribute(element, "disabled") === undefined;
}

/**
 * Whether an element has a presentational role; focusable elements never have (ARIA 1.2, 5.3.3).
 */
export function isPresentational(element: Element): boolean {
  const role = roleOf(element);
  if (role !== "none" && role !== "presentation") return false;
  const reported = ["aria-label", "aria-labelledby", "aria-describedby", "aria-live"];
  return !isFocusable(element) && reported.every((name) => attribute(element, name) === undefined);
}
