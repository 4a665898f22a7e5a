import type { CssNode } from "css-tree";
import generate from "css-tree/generator";
import parse from "css-tree/parser";
import { compile } from "css-select";
import type { Element, Node } from "../page/dom.ts";

/** One selector of a rule, prepared for matching. */
export interface RuleSelector {
  matches(element: Element): boolean;
  /** Ids, classes, and tags in one number. */
  specificity: number;
  /** What an element must have for the selector to possibly match: `#a`, `.a`, `[a`, `a`, `*`. */
  key: string;
  /** `before` or `after`; null for the element itself. */
  pseudo: "before" | "after" | null;
  /**
   * It contains conditions that can't be evaluated: it may match fewer elements than it seems to.
   */
  isUncertain: boolean;
}

/** States that no page is in right after it has loaded. */
const atRest = Object.fromEntries(
  "hover active focus focus-visible focus-within visited target target-within current past future fullscreen popover-open modal user-invalid user-valid autofill -webkit-autofill picture-in-picture playing seeking buffering stalled"
    .split(" ")
    .map((name) => [name, () => false]),
);
const pseudos = { ...atRest, defined: () => true, open: "[open]" };

const known = new Set([
  ...Object.keys(pseudos),
  ..."any-link link root empty first-child last-child first-of-type last-of-type only-child only-of-type nth-child nth-last-child nth-of-type nth-last-of-type is where not has matches disabled enabled checked required optional selected scope".split(
    " ",
  ),
]);
const generated = new Set(["before", "after"]);
const oldPseudoElements = new Set(["before", "after", "first-line", "first-letter"]);
const unit = 10_000;

/** `:is()`, `:not()`, and `:has()` count their most specific argument, `:where()` none. */
function heaviest(node: CssNode): number {
  let max = 0;
  for (const list of node.children ?? []) {
    const selectors = list.type === "SelectorList" ? (list.children ?? []) : [list];
    for (const selector of selectors) max = Math.max(max, weigh(selector));
  }
  return max;
}

function weighPart(node: CssNode): number {
  switch (node.type) {
    case "IdSelector":
      return unit * unit;
    case "ClassSelector":
    case "AttributeSelector":
      return unit;
    case "TypeSelector":
      return node.name === "*" ? 0 : 1;
    case "PseudoElementSelector":
      return 1;
    case "PseudoClassSelector":
      if (node.name === "where") return 0;
      if (node.name === "is" || node.name === "not" || node.name === "has") return heaviest(node);
      return oldPseudoElements.has(nameOf(node)) ? 1 : unit;
    default:
      return 0;
  }
}

function weigh(selector: CssNode): number {
  let sum = 0;
  for (const part of selector.children ?? []) sum += weighPart(part);
  return sum;
}

/** Removes what can't be evaluated, so that the rest matches at least what it should. */
function simplify(selector: CssNode): { parts: CssNode[]; isUncertain: boolean; never: boolean } {
  const parts: CssNode[] = [];
  let isUncertain = false;
  let never = false;
  for (const part of selector.children ?? []) {
    if (part.type === "PseudoClassSelector") {
      const name = nameOf(part);
      const ofList =
        name.startsWith("nth-") && [...(part.children ?? [])].some(({ selector: of }) => of);
      if (name.startsWith("-moz-")) never = true;
      else if (oldPseudoElements.has(name) || (known.has(name) && !ofList)) parts.push(part);
      else isUncertain = true;
      continue;
    }
    parts.push(part);
  }
  return { parts, isUncertain, never };
}

function hasUnknown(node: CssNode): boolean {
  if (node.type === "PseudoClassSelector" && !known.has(nameOf(node))) return true;
  for (const child of node.children ?? []) if (hasUnknown(child)) return true;
  return node.selector ? hasUnknown(node.selector) : false;
}

/** The most selective condition of the last compound selector. */
function keyOf(parts: readonly CssNode[]): string {
  let key = "*";
  let rank = 0;
  for (const part of parts.toReversed()) {
    if (part.type === "Combinator") break;
    const [found, weight] =
      part.type === "IdSelector"
        ? [`#${part.name}`, 4]
        : part.type === "ClassSelector"
          ? [`.${part.name}`, 3]
          : part.type === "TypeSelector" && part.name !== "*"
            ? [nameOf(part), 2]
            : part.type === "AttributeSelector" && !nameOf(part).includes("|")
              ? [`[${nameOf(part)}`, 1]
              : ["*", 0];
    if (weight > rank) [key, rank] = [found, weight];
  }
  return /^[#.]?[\w[-]+$/.test(key) ? key : "*";
}

/** The name of a part, in lower case; an attribute's name is a node of its own. */
function nameOf(part: CssNode): string {
  const name = part.name as CssNode | string | undefined;
  const text = typeof name === "string" ? name : name?.name;
  return typeof text === "string" ? text.toLowerCase() : "";
}

function readSelector(selector: CssNode): RuleSelector | null {
  const { parts, isUncertain, never } = simplify(selector);
  if (never) return null;
  let pseudo: RuleSelector["pseudo"] = null;
  const asked = parts.filter((part) => {
    const name = nameOf(part);
    const isPseudo =
      part.type === "PseudoElementSelector" ||
      (part.type === "PseudoClassSelector" && oldPseudoElements.has(name));
    if (isPseudo) pseudo = generated.has(name) ? (name as "before") : "after";
    return !isPseudo;
  });
  // Other pseudo-elements (selection, marker, placeholder) don't affect an element's own text.
  const pseudoParts = parts.length - asked.length;
  const last = parts.at(-1);
  if (pseudoParts > 0 && !generated.has(last ? nameOf(last) : "")) return null;
  const of = { specificity: weigh(selector), key: keyOf(asked), pseudo };
  const query = asked.some(asksUnknown) ? null : compiled(asked);
  // A condition that can't be evaluated may match any element.
  if (!query) return { ...of, matches: () => true, isUncertain: true };
  return { ...of, matches: query, isUncertain };
}

const asksUnknown = (part: CssNode) => part.type === "PseudoClassSelector" && hasUnknown(part);

function compiled(parts: readonly CssNode[]): ((element: Element) => boolean) | null {
  const text = parts.map((part) => generate(part)).join("") || "*";
  try {
    return compile<Node, Element>(/[\s>+~]$/.test(text) ? `${text}*` : text, {
      pseudos,
      cacheResults: false,
    });
  } catch {
    return null;
  }
}

function parsed(text: string): CssNode | null {
  try {
    return parse(text, { context: "selectorList" });
  } catch {
    return null;
  }
}

/** Parses a selector list; null if it is invalid, so that a browser drops the rule. */
export function readSelectors(text: string): RuleSelector[] | null {
  const list = parsed(text);
  return list && [...(list.children ?? [])].flatMap((selector) => readSelector(selector) ?? []);
}
