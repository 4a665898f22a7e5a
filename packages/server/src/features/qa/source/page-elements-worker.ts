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

type Property = keyof ElementQuery;

/** What an element has of a query's property; undefined if it can't match. */
const readers: Readonly<Record<Property, (element: Element) => string | undefined>> = {
  selector: locate,
  href: (element) => (element.name === "a" ? attribute(element, "href") : undefined),
  src: (element) => (element.name === "img" ? attribute(element, "src") : undefined),
  text: (element) => plain(textOf(element)),
};

/** The most telling property first: the elements that have it are few. */
const properties: readonly Property[] = ["selector", "href", "src", "text"];

/** Looks elements up by their properties; each property is read once for all queries. */
function makeIndex(elements: readonly Element[]) {
  const indexes = new Map<Property, Map<string | undefined, Element[]>>();
  const values = new Map<Property, Map<Element, string | undefined>>();
  function valueOf(property: Property, element: Element): string | undefined {
    const known = values.get(property) ?? new Map<Element, string | undefined>();
    values.set(property, known);
    if (!known.has(element)) known.set(element, readers[property](element));
    return known.get(element);
  }
  function having(property: Property, value: string): readonly Element[] {
    const index =
      indexes.get(property) ?? Map.groupBy(elements, (element) => valueOf(property, element));
    indexes.set(property, index);
    return index.get(value) ?? [];
  }
  return (query: ElementQuery): readonly Element[] => {
    const [first, ...others] = properties.filter((property) => query[property] !== undefined);
    if (first === undefined) return elements;
    return having(first, query[first] ?? "").filter((element) =>
      others.every((property) => valueOf(property, element) === query[property]),
    );
  };
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
  const search = makeIndex(await readElements(page));
  return queries.map((query) => {
    const fitting = new Set(search(query));
    const found = [...fitting].filter((element) => isInnermost(element, fitting));
    const tags = found.map((element) => attribute(element, "data-source"));
    const sources = [...new Set(tags.filter((tag) => tag !== undefined))];
    const untagged = tags.filter((tag) => tag === undefined).length;
    return { count: found.length, sources, untagged };
  });
}
