import { readTaggedPage, type TaggedPageInput } from "../../release/tagged-page-worker.ts";
import { locate } from "vitrine-qa/src/check.ts";
import { attribute, type Element, textOf } from "vitrine-qa/src/page/dom.ts";
import { PageTooLarge, readPage } from "vitrine-qa/src/page/page.ts";

/** Which elements of a page: all that is given has to fit. */
export interface ElementQuery {
  /** The value of `href`, of `src`, or all the text of the element. */
  href?: string;
  src?: string;
  text?: string;
  /** As a check tells where an element is. */
  selector?: string;
}

/** The elements that a query fits. */
export interface PageElements {
  count: number;
  /** Where they are in the site's source, each place once: `app/src/pages/about.astro:12:5`. */
  sources: string[];
  /** How many of them stand in no file of the site's source, as what records bring does. */
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

/** An element around another one that fits as well says the same. */
function isInnermost(element: Element, found: ReadonlySet<Element>): boolean {
  return !element.children.some((child) => found.has(child as Element));
}

/** The elements of a page; none of one that has gone with its release, or is too large to be read. */
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

/** Finds elements of a page with where they come from. Runs in a worker: the page is content. */
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
