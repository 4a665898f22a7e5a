import {
  attribute,
  type Element,
  hidesItself,
  isElement,
  isText,
  type Node,
  roleOf,
} from "./dom.ts";
import type { Page } from "./page.ts";

/** One text of a page that visitors see, with where it is. */
export interface SeenText {
  text: string;
  /** The element that it is directly in. */
  holder: Element;
  /** In code, a quotation or something else whose words are not the page's own. */
  quoted: boolean;
  /** In the header, the footer or the navigation that pages share. */
  shared: boolean;
  /** As the nearest element says it; empty for none. */
  lang: string;
  /** `translate="no"`: a name. */
  name: boolean;
}

const quoting = new Set(["code", "pre", "kbd", "samp", "var", "q", "blockquote", "math", "svg"]);
const sharing = new Set(["header", "footer", "nav"]);
const sharingRoles = /^(?:banner|contentinfo|navigation)$/;

type State = Omit<SeenText, "text" | "holder">;

/** What an element changes for the texts in it; null where nobody sees them. */
function within(element: Element, state: State): State | null {
  if (hidesItself(element)) return null;
  const lang = attribute(element, "lang");
  const own = element.name === "main" || element.name === "article";
  return {
    quoted: state.quoted || quoting.has(element.name),
    shared:
      !own && (state.shared || sharing.has(element.name) || sharingRoles.test(roleOf(element))),
    lang: lang === undefined ? state.lang : lang.trim(),
    name: state.name || attribute(element, "translate") === "no",
  };
}

function collect(page: Page): SeenText[] {
  const root = page.first("html");
  const body = page.first("body");
  if (!body) return [];
  const lang = (root && attribute(root, "lang")?.trim()) ?? "";
  const first = within(body, { quoted: false, shared: false, lang, name: false });
  const found: SeenText[] = [];
  const stack: { node: Node; holder: Element; state: State }[] = [];
  const push = (holder: Element, state: State) => {
    for (let i = holder.children.length - 1; i >= 0; i--) {
      stack.push({ node: holder.children[i] as Node, holder, state });
    }
  };
  if (first) push(body, first);
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { node, holder, state } = top;
    if (isText(node)) {
      if (/\S/.test(node.data)) found.push({ ...state, text: node.data, holder });
    } else if (isElement(node)) {
      const inside = node.children.length === 0 ? null : within(node, state);
      if (inside) push(node, inside);
    }
  }
  return found;
}

const known = new WeakMap<Page, readonly SeenText[]>();

/** The texts of a page that its markup hides from nobody, in order; walked once for all checks. */
export function seenTexts(page: Page): readonly SeenText[] {
  const found = known.get(page) ?? collect(page);
  known.set(page, found);
  return found;
}

/** How many words a page has of its own, outside of what pages share. */
export function ownWords(page: Page): number {
  let count = 0;
  for (const { text, shared } of seenTexts(page)) {
    if (!shared) count += text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
  }
  return count;
}
