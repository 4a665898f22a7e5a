import { hash } from "node:crypto";
import {
  attribute,
  type Element,
  isElement,
  isText,
  isInvisibleElement,
  roleOf,
  textOf,
} from "../page/dom.ts";
import { hasNoindexHeader, isNoindex, metaOf, type Page, fragmentTargetsOf } from "../page/page.ts";
import type { CrawlResponse, PageFacts } from "./crawl.ts";
import { printOf } from "./simhash.ts";

const chrome = new Set(["header", "footer", "nav", "aside"]);
const chromeRoles = new Set(["banner", "contentinfo", "navigation", "search"]);

/** Collects the words in an element, without the parts that all pages share. */
function addWords(root: Element, whole: boolean, parts: string[]): void {
  const stack = root.children.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (isText(node)) {
      parts.push(node.data);
    } else if (isElement(node) && !isInvisibleElement(node)) {
      if (!whole && (chrome.has(node.name) || chromeRoles.has(roleOf(node)))) continue;
      for (let i = node.children.length - 1; i >= 0; i--) {
        stack.push(node.children[i] as (typeof node.children)[number]);
      }
    }
  }
}

/** The text of the main part of a page, as written. */
export function mainText(page: Page): string {
  const main = page.first("main") ?? page.elements.find((element) => roleOf(element) === "main");
  const root = main ?? page.first("body");
  const parts: string[] = [];
  if (root) addWords(root, main !== undefined, parts);
  return parts.join(" ");
}

const folds = /^\s|\s\s|[^\S ]|\s$/;

/** The text in an element; most contain only one text node without white space to collapse. */
export function shortText(element: Element): string {
  const [only] = element.children;
  const isPlain = element.children.length === 1 && only !== undefined && isText(only);
  if (!isPlain) return textOf(element);
  const text = only.data.slice(0, 500);
  return folds.test(text) ? text.replace(/\s+/g, " ").trim() : text;
}

const headingNames = ["h1", "h2", "h3", "h4", "h5", "h6"];
const headings = new Set(headingNames);

const relOf = (link: Element): string[] =>
  (attribute(link, "rel") ?? "").toLowerCase().split(/\s+/);

function headingsOf(page: Page): PageFacts["headings"] {
  if (!headingNames.some((name) => page.first(name))) return [];
  return page.elements
    .filter(({ name }) => headings.has(name))
    .slice(0, 200)
    .map((element) => ({ level: Number(element.name[1]), text: shortText(element).slice(0, 200) }));
}

function alternatesOf(links: readonly Element[]): PageFacts["alternates"] {
  return links.flatMap((link) => {
    const [lang, href] = [attribute(link, "hreflang"), attribute(link, "href")];
    if (lang === undefined || href === undefined || !relOf(link).includes("alternate")) return [];
    return [{ lang, url: href.trim() }];
  });
}

const fields = ["input", "textarea", "select"];

/** What is kept of a page after its elements are dropped from memory. */
export function factsOf(page: Page, response: CrawlResponse): PageFacts {
  const text = mainText(page);
  const { words, simhash } = printOf(text);
  const links = page.all("link");
  const canonical = links.find((link) => relOf(link).includes("canonical"));
  const title = page.all("title").find(({ parent }) => isElement(parent) && parent.name === "head");
  return {
    title: title ? shortText(title) : "",
    description: (metaOf(page, "description") ?? "").replace(/\s+/g, " ").trim(),
    canonical: canonical ? (attribute(canonical, "href") ?? null) : null,
    isNoindex: isNoindex(page) || hasNoindexHeader(response.headers["x-robots-tag"]),
    lang: attribute(page.first("html") as Element, "lang") ?? "",
    headings: headingsOf(page),
    words,
    simhash,
    textHash: hash("sha256", text),
    fragmentTargets: fragmentTargetsOf(page),
    alternates: alternatesOf(links),
    hasFormFields: fields.some((name) => page.first(name) !== undefined),
  };
}

/** For a page that is too large to parse. */
export const noFacts: PageFacts = {
  title: "",
  description: "",
  canonical: null,
  isNoindex: false,
  lang: "",
  headings: [],
  words: 0,
  simhash: "0".repeat(16),
  textHash: "",
  fragmentTargets: new Set(),
  alternates: [],
  hasFormFields: false,
};
