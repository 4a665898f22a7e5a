import { type DefaultTreeAdapterTypes, parse } from "parse5";

/** An element, `#text`, or `#comment`, for comparison. */
export interface PageNode {
  /** Lowercase, with a prefix for elements that aren't HTML: `svg:path`. */
  tag: string;
  attributes: ReadonlyMap<string, string>;
  children: readonly PageNode[];
  /** Of `#text` and `#comment`, with white space collapsed. */
  text: string;
  /** Equal for equal subtrees within one reader. */
  id: number;
  /** The number of nodes, including itself. */
  size: number;
}

/** A page is too large or too deep to be compared. */
export class TooLarge extends Error {}

const maxSize = { nodes: 60_000, depth: 200, attributes: 60 } as const;

/** Numbers subtrees, so that equal ones have equal numbers across all its pages. */
export interface PageReader {
  /** Parses a page. Throws `TooLarge`. */
  read(html: string): PageNode;
}

const spaces = /[\t\n\f\r ]+/g;
const minNames: Readonly<Record<string, string>> = {
  "http://www.w3.org/1999/xhtml": "",
  "http://www.w3.org/2000/svg": "svg:",
  "http://www.w3.org/1998/Math/MathML": "math:",
};

type Parsed = DefaultTreeAdapterTypes.ChildNode;

const noAttributes: ReadonlyMap<string, string> = new Map();

// oxlint-disable-next-line max-lines-per-function -- one closure over one table
export function makePageReader(): PageReader {
  const ids = new Map<string, number>();
  const idOf = (key: string) => {
    const known = ids.get(key);
    if (known !== undefined) return known;
    ids.set(key, ids.size + 1);
    return ids.size;
  };
  const leaf = (tag: string, text: string): PageNode => {
    return {
      tag,
      attributes: noAttributes,
      children: [],
      text,
      id: idOf(`${tag}\0${text}`),
      size: 1,
    };
  };
  const convert = (node: Parsed, depth: number, verbatim: boolean): PageNode | null => {
    if (depth > maxSize.depth) throw new TooLarge("its elements are nested too deeply");
    if (node.nodeName === "#text") {
      const raw = (node as DefaultTreeAdapterTypes.TextNode).value;
      const text = verbatim ? raw : raw.replace(spaces, " ");
      return text === "" ? null : leaf("#text", text);
    }
    if (node.nodeName === "#comment") {
      return leaf("#comment", (node as DefaultTreeAdapterTypes.CommentNode).data);
    }
    if (node.nodeName === "#documentType")
      return leaf("#doctype", (node as DefaultTreeAdapterTypes.DocumentType).name);
    const element = node as DefaultTreeAdapterTypes.Element;
    if (element.attrs.length > maxSize.attributes)
      throw new TooLarge("an element has too many attributes");
    const tag = `${minNames[element.namespaceURI] ?? "other:"}${element.tagName}`;
    const own =
      "content" in element
        ? (element as DefaultTreeAdapterTypes.Template).content.childNodes
        : element.childNodes;
    const isVerbatim = verbatim || /^(?:script|style|textarea|pre)$/.test(tag);
    const children = own.flatMap((child) => convert(child, depth + 1, isVerbatim) ?? []);
    const attributes = new Map(
      element.attrs.map(({ name, prefix, value }) => [prefix ? `${prefix}:${name}` : name, value]),
    );
    const named = [...attributes].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const id = idOf(JSON.stringify([tag, named, children.map((child) => child.id)]));
    return {
      tag,
      attributes,
      children,
      text: "",
      id,
      size: 1 + children.reduce((sum, { size }) => sum + size, 0),
    };
  };
  return {
    read(html) {
      const document = parse(html);
      const children = document.childNodes.flatMap((child) => convert(child, 0, false) ?? []);
      const mode = leaf("#mode", document.mode ?? "");
      const all = [mode, ...children];
      const size = all.reduce((sum, node) => sum + node.size, 1);
      if (size > maxSize.nodes) throw new TooLarge("it has too many elements");
      return {
        tag: "#document",
        attributes: noAttributes,
        children: all,
        text: "",
        id: idOf(JSON.stringify(["#document", all.map(({ id }) => id)])),
        size,
      };
    },
  };
}

export const isElement = (node: PageNode): boolean => !node.tag.startsWith("#");

/** All nodes of a subtree, itself first. */
export function* walk(node: PageNode): Generator<PageNode> {
  yield node;
  for (const child of node.children) yield* walk(child);
}

/** The texts of a subtree in reading order, with white space collapsed. */
export function textOf(node: PageNode): string {
  return rawText(node).replace(/\s+/g, " ").trim();
}

const unread = new Set(["script", "style", "template", "noscript"]);

function rawText(node: PageNode): string {
  if (node.tag === "#text") return node.text;
  if (unread.has(node.tag) || node.tag === "#comment") return "";
  const inner = node.children.map(rawText).join("");
  return isElement(node) && !phrasing.has(node.tag) ? ` ${inner} ` : inner;
}

/** Elements within a line of text. */
export const phrasing: ReadonlySet<string> = new Set(
  "a abbr b bdi bdo br cite code data del dfn em i ins kbd mark q rp rt ruby s samp small span strong sub sup time u var wbr".split(
    " ",
  ),
);

/** Whether it is its own line of text, so that a change in it is a change of words. */
export function isPassage(node: PageNode): boolean {
  if (!isElement(node)) return false;
  const hasText = node.children.some(({ tag, text }) => tag === "#text" && text.trim() !== "");
  return hasText && isLine(node);
}

function isLine(node: PageNode): boolean {
  return node.children.every(
    (child) => child.tag === "#text" || (phrasing.has(child.tag) && isLine(child)),
  );
}

/** Attributes that distinguish elements of the same kind: where they lead, what they show. */
const ownValues = new Set(
  "id href src srcset sizes alt width height loading fetchpriority decoding datetime style".split(
    " ",
  ),
);

export function markupShape(node: PageNode): string {
  const rest = [...node.attributes]
    .filter(([name]) => !ownValues.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([node.tag, rest]);
}

/** The key for pairing elements of two versions; in a head, it includes their purpose. */
export function pairKey(node: PageNode): string {
  // A page has one of each of these, so a changed attribute is a difference of that attribute.
  if (!isElement(node) || /^(?:html|head|body|main)$/.test(node.tag)) return node.tag;
  const names = /^(?:meta|link|script)$/.test(node.tag)
    ? ["name", "property", "http-equiv", "rel", "type", "as", "itemprop", "charset"]
    : [];
  const own = names.map((name) => node.attributes.get(name) ?? "");
  return names.length > 0 ? JSON.stringify([node.tag, ...own]) : markupShape(node);
}

/** The passages of a subtree, each with its text. */
export function* passagesOf(node: PageNode): Generator<string> {
  if (node.tag === "#text") {
    const text = textOf(node);
    if (text !== "") yield text;
  } else if (isPassage(node) || (isElement(node) && phrasing.has(node.tag))) {
    const text = textOf(node);
    if (text !== "") yield text;
  } else if (isElement(node) || node.tag === "#document") {
    for (const child of node.children) yield* passagesOf(child);
  }
}
