import { readTaggedPage, type TaggedPageInput } from "../../release/tagged-page-worker.ts";
import { locate } from "vitrine-qa/src/check.ts";
import { attribute, type Element, textOf } from "vitrine-qa/src/page/dom.ts";
import { PageTooLarge, readPage } from "vitrine-qa/src/page/page.ts";

/** A query for elements; all given properties have to match. */
export interface ElementQuery {
  /** The value of `href` or `src`, or the whole text of the element. */
  href?: string;
  src?: string;
  text?: string;
  /** As reported by a check. */
  selector?: string;
}

/** The elements that match a query. */
export interface PageElements {
  count: number;
  /** Where they are in the site's source, each location once: `app/src/pages/about.astro:12:5`. */
  sources: string[];
  /** How many of them aren't in the site's source, such as those from records. */
  untagged: number;
}

const plain = (text: string) => text.replace(/\s+/g, " ").trim();

function fits(element: Element, { href, src, text, selector }: ElementQuery): boolean {
  if (href !== undefined && (element.name !== "a" || attribute(element, "href") !== href))
    return false;
  if (src !== undefined && (element.name !== "img" || attribute(element, "src") !== src))
    return false;
  if (selector !== undefined && locate(element) !== selector) return false;
  return text === undefined || plain(textOf(element)) === text;
}

/** A matching element around another matching one adds nothing. */
function isInnermost(element: Element, found: ReadonlySet<Element>): boolean {
  return !element.children.some((child) => found.has(child as Element));
}

/** The elements of a page; none if its release is gone, or it is too large. */
async function readElements(page: TaggedPageInput): Promise<readonly Element[]> {
  const file = { file: "", hash: page.hash, type: "text/html", bytes: 0, encodings: {} };
  try {
    return readPage("/", file, await readTaggedPage(page)).elements;
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isGone || error instanceof PageTooLarge) return [];
    throw error;
  }
}

/** Finds elements of a page and their sources. Runs in a worker, because the page is content. */
export async function findPageElements({
  page,
  queries,
}: {
  page: TaggedPageInput;
  queries: readonly ElementQuery[];
}): Promise<PageElements[]> {
  const elements = await readElements(page);
  return queries.map((query) => {
    const fitting = new Set(elements.filter((element) => fits(element, query)));
    const found = [...fitting].filter((element) => isInnermost(element, fitting));
    const tags = found.map((element) => attribute(element, "data-source"));
    const sources = [...new Set(tags.filter((tag) => tag !== undefined))];
    const untagged = tags.filter((tag) => tag === undefined).length;
    return { count: found.length, sources, untagged };
  });
}
