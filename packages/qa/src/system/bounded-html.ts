/* oxlint-disable no-underscore-dangle -- so parse5 names what subclasses may change */
import {
  type DefaultTreeAdapterMap,
  Parser,
  type ParserOptions,
  type Token,
  type TreeAdapterTypeMap,
} from "parse5";

/**
 * The maximum number of elements and comments in a document's tree; each takes about a kilobyte.
 */
export const defaultMaxNodes = 100_000;

/** A document has more nodes than allowed; the message completes "This page can't be read: …". */
export class HtmlTooComplex extends Error {
  constructor(maxNodes: number) {
    super(`it has more than ${maxNodes} elements`);
    this.name = "HtmlTooComplex";
  }
}

/**
 * parse5's parser, which stops when the tree has too many nodes. The length of the text doesn't
 * limit them: each block repeats all unclosed formatting elements (HTML standard, 13.2.4.3), so
 * that 24 kB can make a tree of 1 GB.
 */
export class BoundedParser<T extends TreeAdapterTypeMap> extends Parser<T> {
  readonly #maxNodes: number;
  #nodes = 0;

  constructor(options: ParserOptions<T>, maxNodes: number) {
    super(options);
    this.#maxNodes = maxNodes;
  }

  /**
   * Counts one more node.
   * @throws HtmlTooComplex if there are too many
   */
  protected countNode(): void {
    this.#nodes += 1;
    if (this.#nodes > this.#maxNodes) throw new HtmlTooComplex(this.#maxNodes);
  }

  override _attachElementToTree(...args: Parameters<Parser<T>["_attachElementToTree"]>): void {
    this.countNode();
    super._attachElementToTree(...args);
  }

  override onComment(token: Token.CommentToken): void {
    this.countNode();
    super.onComment(token);
  }

  /**
   * Parses a whole document.
   * @throws HtmlTooComplex if it has too many nodes
   */
  read(html: string): T["document"] {
    this.tokenizer.write(html, true);
    return this.document;
  }
}

/**
 * Parses a document like parse5's `parse`, within a bound on its nodes. Still takes about 0.1 s a
 * megabyte: call it in a worker where the text may be long.
 * @param maxNodes 100,000 unless given
 * @throws HtmlTooComplex where the tree would have more nodes
 */
export function parseBounded(
  html: string,
  options: ParserOptions<DefaultTreeAdapterMap> = {},
  maxNodes = defaultMaxNodes,
): DefaultTreeAdapterMap["document"] {
  return new BoundedParser(options, maxNodes).read(html);
}
