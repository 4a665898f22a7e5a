import { Marked, type Token } from "marked";

/** A place in Markdown that names an address. Offsets are in characters, `end` being behind it. */
export interface Reference {
  kind: "image" | "link" | "definition";
  start: number;
  end: number;
  /** As it is written, without escapes. */
  address: string;
  /** An image's description, a link's words. */
  text: string;
  title: string;
  /** For an image: whether it stands in a paragraph with nothing but images. */
  alone: Span | null;
}

export interface Span {
  start: number;
  end: number;
}

const marked = new Marked({ gfm: true });

interface Nested {
  tokens?: Token[];
  items?: Nested[];
  /** Of a table its cells, of a cell whether it is one of these. */
  header?: Nested[] | boolean;
  rows?: Nested[][];
}

function childrenOf(token: Nested): Token[] {
  const header = Array.isArray(token.header) ? token.header : [];
  const cells = [...header, ...(token.rows ?? []).flat(), ...(token.items ?? [])];
  return [...(token.tokens ?? []), ...cells.flatMap(childrenOf)];
}

function standsAlone(token: Token): boolean {
  if (token.type !== "paragraph") return false;
  const inner = childrenOf(token as Nested);
  const isBreak = ({ type, raw }: Token) => type === "br" || (type === "text" && raw.trim() === "");
  const images = inner.filter(({ type }) => type === "image");
  return images.length > 0 && inner.every((each) => each.type === "image" || isBreak(each));
}

const kinds: Record<string, Reference["kind"]> = {
  image: "image",
  link: "link",
  def: "definition",
};

function toReference(token: Token, start: number, alone: Span | null): Reference | null {
  const kind = kinds[token.type];
  if (kind === undefined) return null;
  const { href, text, title } = token as { href?: string; text?: string; title?: string | null };
  const end = start + token.raw.length;
  const words = kind === "definition" ? "" : (text ?? "");
  return {
    kind,
    start,
    end,
    address: href ?? "",
    text: words,
    title: title ?? "",
    alone: kind === "image" ? alone : null,
  };
}

/** Goes through the tokens of one block in their order and finds again where they are written. */
function collect(source: string, tokens: Token[], span: Span, alone: Span | null): Reference[] {
  const found: Reference[] = [];
  let cursor = span.start;
  const visit = (token: Token) => {
    const at = source.indexOf(token.raw, cursor);
    const isHere = at >= 0 && at + token.raw.length <= span.end;
    const reference = isHere ? toReference(token, at, alone) : null;
    if (reference !== null) found.push(reference);
    const inner = childrenOf(token as Nested);
    if (isHere && inner.length > 0) cursor = at;
    for (const child of inner) visit(child);
    if (isHere) cursor = at + token.raw.length;
  };
  for (const token of tokens) visit(token);
  return found;
}

/** Quotes and lists a hundred deep in each other: going through them takes seconds, and helps nobody. */
const tooDeep = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){100}/m;

/**
 * The addresses that a Markdown text names: images, links and definitions, but not what stands in
 * code. None for a text whose quotes or lists lie a hundred deep in each other.
 */
export function findReferences(source: string): Reference[] {
  if (tooDeep.test(source)) return [];
  let blocks: Token[];
  try {
    blocks = marked.lexer(source);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
  const found: Reference[] = [];
  let cursor = 0;
  for (const [index, block] of blocks.entries()) {
    const start = source.indexOf(block.raw, cursor);
    if (start < 0) continue;
    const end = start + block.raw.length;
    const next = blocks[index + 1];
    const gap = next?.type === "space" ? next.raw.length : 0;
    const alone = standsAlone(block) ? { start, end: end + gap } : null;
    found.push(...collect(source, [block], { start, end }, alone));
    cursor = end;
  }
  return found;
}

/** How an address is written between the brackets of Markdown. */
function written(address: string): string {
  return /[\s()<>]/.test(address) ? `<${address.replace(/[<>\n]/g, encodeURIComponent)}>` : address;
}

/** A part of a text that is to be something else. */
export interface Edit extends Span {
  text: string;
}

/** A reference, and the address that it is to have. */
export interface RewrittenReference {
  reference: Reference;
  address: string;
}

function readdress(
  source: string,
  { reference, address }: RewrittenReference,
  defined: ReadonlySet<string>,
): Edit[] {
  const { start, end, kind } = reference;
  const raw = source.slice(start, end);
  const from = Math.max(0, raw.lastIndexOf("](", raw.length - reference.address.length));
  const at = reference.address === "" ? -1 : raw.indexOf(reference.address, from);
  if (at >= 0) {
    const place = start + at;
    return [{ start: place, end: place + reference.address.length, text: address }];
  }
  if (kind !== "image" || defined.has(reference.address)) return [];
  // With escapes in its address: written out.
  const title = reference.title === "" ? "" : ` "${reference.title.replace(/"/g, '\\"')}"`;
  return [{ start, end, text: `![${reference.text}](${written(address)}${title})` }];
}

/** What gives references other addresses; one by a name gets its by the name's definition. */
export function rewriteReferences(source: string, all: readonly RewrittenReference[]): Edit[] {
  const definitions = all.filter(({ reference }) => reference.kind === "definition");
  const defined = new Set(definitions.map(({ reference }) => reference.address));
  return all.flatMap((each) => readdress(source, each, defined));
}

/** A text with its edits made; none may overlap another. */
export function edited(source: string, edits: readonly Edit[]): string {
  let result = "";
  let done = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    if (start < done) continue;
    result += source.slice(done, start) + text;
    done = end;
  }
  return result + source.slice(done);
}
