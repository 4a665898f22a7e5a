import {
  attribute,
  type Element,
  isHiddenByMarkup,
  isElement,
  isText,
  type Node,
  roleOf,
} from "./dom.ts";
import type { Page } from "./page.ts";

/** A text of a page that visitors see, with its place. */
export interface VisibleText {
  text: string;
  /** The element that directly contains it. */
  parent: Element;
  /** In code, a quotation, or something else that isn't the page's own text. */
  quoted: boolean;
  /** In the main landmark or an article. */
  main: boolean;
  /** In the header, footer, or navigation that pages share. */
  shared: boolean;
  /** The language that the nearest element declares; empty for none. */
  lang: string;
  /** `translate="no"`: a name. */
  name: boolean;
}

const quoting = new Set([
  "code",
  "pre",
  "kbd",
  "samp",
  "var",
  "tt",
  "q",
  "blockquote",
  "math",
  "svg",
]);
const sharing = new Set(["header", "footer", "nav"]);
const sharingRoles = /^(?:banner|contentinfo|navigation)$/;

const stateElements = new Set([...quoting, ...sharing, "main", "article"]);

/** Whether an element's attributes change anything for the texts in it. */
function says({ attribs }: Element): boolean {
  for (const name in attribs) {
    if (name === "role" || name === "lang" || name === "translate") return true;
  }
  return false;
}

type State = Omit<VisibleText, "text" | "parent">;

/** What an element changes for the texts in it; null if they are hidden. */
function within(element: Element, state: State): State | null {
  if (isHiddenByMarkup(element)) return null;
  if (!stateElements.has(element.name) && !says(element)) return state;
  const lang = attribute(element, "lang");
  const main = state.main || element.name === "main" || element.name === "article";
  return {
    main,
    quoted: state.quoted || quoting.has(element.name),
    shared:
      !main && (state.shared || sharing.has(element.name) || sharingRoles.test(roleOf(element))),
    lang: lang === undefined ? state.lang : lang.trim(),
    name: state.name || attribute(element, "translate") === "no",
  };
}

/** Elements that are visible without text. */
const imageElements = new Set([
  "img",
  "svg",
  "video",
  "canvas",
  "iframe",
  "object",
  "embed",
  "input",
  "select",
  "textarea",
  "audio",
  // Drawn by scripts: the result is unknown without one.
  "astro-island",
]);

interface VisibleContent {
  texts: VisibleText[];
  images: { element: Element; shared: boolean }[];
}

function collect(page: Page): VisibleContent {
  const root = page.first("html");
  const body = page.first("body");
  const found: VisibleText[] = [];
  const images: VisibleContent["images"] = [];
  if (!body) return { texts: found, images };
  const lang = (root && attribute(root, "lang")?.trim()) ?? "";
  const first = within(body, { quoted: false, main: false, shared: false, lang, name: false });
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
      if (/\S/.test(node.data)) found.push({ ...state, text: node.data, parent: holder });
    } else if (isElement(node)) {
      const inside = within(node, state);
      if (inside && imageElements.has(node.name))
        images.push({ element: node, shared: inside.shared });
      if (inside && node.children.length > 0) push(node, inside);
    }
  }
  return { texts: found, images };
}

const contentCache = new WeakMap<Page, VisibleContent>();

function visibleContentOf(page: Page): VisibleContent {
  const found = contentCache.get(page) ?? collect(page);
  contentCache.set(page, found);
  return found;
}

/** The texts of a page that its markup doesn't hide, in order; collected once for all checks. */
export const visibleTexts = (page: Page): readonly VisibleText[] => visibleContentOf(page).texts;

/** The images, videos, fields, and the like that a page's markup doesn't hide. */
export const visibleImages = (page: Page): VisibleContent["images"] =>
  visibleContentOf(page).images;

/** The number of words on a page outside the parts that pages share. */
export function ownText(page: Page): number {
  let count = 0;
  for (const { text, shared } of visibleTexts(page)) {
    if (!shared) count += text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
  }
  return count;
}
