import { HtmlTooComplex } from "../system/bounded-html.ts";
import type { SiteFile } from "../site/files.ts";
import { attribute, type Document, type Element, isElement } from "./dom.ts";
import { makeProblems, type ParseProblem } from "./problems.ts";
import { parseSource } from "./source-parser.ts";

/** Larger pages aren't checked, because the cost would be unbounded. */
export const pageBounds = {
  bytes: 4 * 1024 * 1024,
  elements: 30_000,
  depth: 500,
  /** Including nodes in templates and comments, which are parsed but not checked. */
  nodes: 100_000,
} as const;

/** A page of a site, parsed once for all checks. */
export interface Page {
  /** Decoded, root-relative. */
  path: string;
  /** The base of its relative addresses: its path, or its `base` element (HTML standard, 4.2.3). */
  base: string;
  file: SiteFile;
  document: Document;
  /** All elements in the order of the source, except for those inside `template`. */
  elements: readonly Element[];
  /** Elements by their ids; several if an id isn't unique. */
  ids: ReadonlyMap<string, readonly Element[]>;
  /** The elements with these names, in order. */
  all(...names: string[]): readonly Element[];
  first(name: string): Element | undefined;
  /** The elements with an attribute, in order. */
  having(attributeName: string): readonly Element[];
  /** Where its markup isn't what it was meant to be. */
  problems: readonly ParseProblem[];
}

export class PageTooLarge extends Error {}

function collect(document: Document): Element[] {
  const elements: Element[] = [];
  const stack: { node: Element; depth: number }[] = [];
  const push = (children: readonly unknown[], depth: number) => {
    for (let i = children.length - 1; i >= 0; i--) {
      const node = children[i] as Element;
      if (isElement(node)) stack.push({ node, depth });
    }
  };
  push(document.children, 1);
  for (let top = stack.pop(); top; top = stack.pop()) {
    elements.push(top.node);
    if (elements.length > pageBounds.elements) {
      throw new PageTooLarge(`it has more than ${pageBounds.elements} elements`);
    }
    if (top.depth > pageBounds.depth) {
      throw new PageTooLarge(`it nests deeper than ${pageBounds.depth} elements`);
    }
    if (top.node.name !== "template") push(top.node.children, top.depth + 1);
  }
  return elements;
}

/** Elements by their attributes; nobody looks them up by class. */
function indexAttributes(elements: readonly Element[]): Map<string, Element[]> {
  const index = new Map<string, Element[]>();
  for (const element of elements) {
    for (const name in element.attribs) {
      if (name === "class") continue;
      const same = index.get(name);
      if (same) same.push(element);
      else index.set(name, [element]);
    }
  }
  return index;
}

const nowhere = "https://site.invalid";

/** The base as a path if it is on the page's own site, otherwise an address; decoded. */
function baseAt(path: string, element: Element | undefined): string {
  const href = element && attribute(element, "href")?.trim();
  const url = href === undefined ? null : URL.parse(href, new URL(encodeURI(path), nowhere).href);
  if (!url || !/^https?:$/.test(url.protocol)) return path;
  try {
    return decodeURI(url.origin === nowhere ? url.pathname + url.search : url.href);
  } catch {
    return path;
  }
}

function parseWithinBounds(text: string, onParseError: Parameters<typeof parseSource>[1]) {
  try {
    return parseSource(text, onParseError, pageBounds.nodes);
  } catch (error) {
    if (error instanceof HtmlTooComplex) throw new PageTooLarge(error.message, { cause: error });
    throw error;
  }
}

/**
 * Parses a page.
 * @throws PageTooLarge if it exceeds `pageBounds`
 */
export function readPage(path: string, file: SiteFile, text: string): Page {
  if (text.length > pageBounds.bytes) {
    throw new PageTooLarge(`it is larger than ${pageBounds.bytes / 1024 / 1024} MiB`);
  }
  const { problems, onParseError } = makeProblems(text);
  const document = parseWithinBounds(text, onParseError);
  const elements = collect(document);
  const ids = new Map<string, Element[]>();
  const byName = new Map<string, Element[]>();
  let byAttribute: Map<string, Element[]> | undefined;
  for (const element of elements) {
    const named = byName.get(element.name);
    if (named) named.push(element);
    else byName.set(element.name, [element]);
    const id = attribute(element, "id");
    if (id === undefined || id === "") continue;
    const same = ids.get(id);
    if (same) same.push(element);
    else ids.set(id, [element]);
  }
  return {
    path,
    base: baseAt(
      path,
      byName.get("base")?.find((element) => "href" in element.attribs),
    ),
    file,
    document,
    elements,
    ids,
    all(...names) {
      const [name = "", ...more] = names;
      const found = byName.get(name) ?? [];
      return more.length === 0 ? found : names.flatMap((one) => byName.get(one) ?? []);
    },
    first: (name) => byName.get(name)?.[0],
    having(name) {
      byAttribute ??= indexAttributes(elements);
      return byAttribute.get(name) ?? [];
    },
    problems,
  };
}

/** The content of the first `meta` with this name or property. */
export function metaOf(page: Page, name: string): string | undefined {
  const found = page
    .all("meta")
    .find(
      (meta) =>
        attribute(meta, "name")?.toLowerCase() === name || attribute(meta, "property") === name,
    );
  return found && (attribute(found, "content") ?? "");
}

/**
 * A directive with its value: `max-image-preview: none` asks for small images. A date may contain
 * spaces.
 */
const valued = /\bunavailable_after\s*:[^,;]*|[\w-]+\s*:\s*[^\s,;]*/gi;

/**
 * Whether the directives ask search engines not to list the page; many sites separate them by other
 * characters than commas.
 */
export function hasNoindexMeta(rules: string): boolean {
  const alone = rules.replaceAll(valued, ",").split(/[\s,;]+/);
  return alone.some((rule) => /^(?:noindex|none)$/i.test(rule));
}

/** Directives with a value after a colon; before any other colon is the name of a robot. */
const withValue = /^\s*(?:unavailable_after|max-(?:snippet|image-preview|video-preview))\s*:/i;

/**
 * Whether an `X-Robots-Tag` (several are separated by line breaks) asks every robot not to list an
 * address.
 */
export function hasNoindexHeader(header: string | undefined): boolean {
  if (header === undefined) return false;
  return header.split("\n").some((line) => {
    const forOne = /^[^,]*:/.test(line) && !withValue.test(line);
    return !forOne && hasNoindexMeta(line);
  });
}

/** Whether the page asks search engines not to list it. */
export function isNoindex(page: Page): boolean {
  return hasNoindexMeta(metaOf(page, "robots") ?? "");
}

const fragmentTargetCache = new WeakMap<Page, ReadonlySet<string>>();

/**
 * The possible fragments of a page: its ids and the names of its anchors (HTML standard, 7.4.6.3).
 */
export function fragmentTargetsOf(page: Page): ReadonlySet<string> {
  const known = fragmentTargetCache.get(page);
  if (known) return known;
  const names = page.all("a").flatMap((anchor) => attribute(anchor, "name") ?? []);
  const found = new Set([...page.ids.keys(), ...names]);
  fragmentTargetCache.set(page, found);
  return found;
}
