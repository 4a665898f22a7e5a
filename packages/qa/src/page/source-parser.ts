/* oxlint-disable no-underscore-dangle -- so parse5 names what subclasses may change */
import {
  InsertionMode,
  type Parser,
  type ParserOptions,
  Token,
  Tokenizer,
  TokenizerMode,
} from "parse5";
import type { Htmlparser2TreeAdapterMap } from "parse5-htmlparser2-tree-adapter";
import { BoundedParser, defaultMaxNodes } from "../system/bounded-html.ts";
import { sourceTree } from "./source-tree.ts";

type Tree = Htmlparser2TreeAdapterMap;
type Source = Parser<Tree>;

/** Plain text up to the end of its line: no entities, no errors. */
const plainText = /[ -%'-;=-~\u00A0-\uD7FF]+/y;
const plainName = /[a-z][a-z0-9-]*/y;
const plainAttribute = /[ ]([a-z][a-z0-9-]*)(?:="([ !#-%'-~\u00A0-\uD7FF]*)")?/y;
const plainEnd = /[ ]?(\/)?>/y;
const maxAttributes = 50;

/** As in parse5. A longer slice would share the page's text and keep all of it in memory. */
const copyOf = (slice: string): string => (slice.length < 13 ? slice : ` ${slice}`.slice(1));

/**
 * parse5's tokenizer, which works character by character, with a fast path for plain tags and
 * stretches of text. Words and the spaces between them become one token where the standard treats
 * them alike. The positions of attributes aren't kept.
 */
class StretchTokenizer extends Tokenizer {
  readonly #parser: Source;

  constructor(parser: Source) {
    super(parser.options, parser);
    this.#parser = parser;
  }

  /** Matches a pattern at this position and moves behind the match; null if it doesn't match. */
  #at(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.preprocessor.html);
  }

  protected override _stateData(codePoint: number): void {
    const { state, preprocessor } = this;
    super._stateData(codePoint);
    const isText = this.currentCharacterToken?.type === Token.TokenType.CHARACTER;
    if (!isText || this.state !== state) return;
    if (this.#parser.insertionMode !== InsertionMode.IN_BODY) return;
    const start = preprocessor.pos + 1;
    if (start !== this.runEnd || !this.#at(plainText, start)) return;
    this.runEnd = plainText.lastIndex;
    preprocessor.pos = this.runEnd - 1;
  }

  /** Ends a tag that was read up to its last character. */
  #emit(token: Token.TagToken, name: string, end: number): void {
    token.tagName = name;
    this.preprocessor.pos = end - 1;
    this.state = TokenizerMode.DATA;
    this.emitCurrentTagToken();
  }

  /** The attributes from here on; null if one of them isn't plain or occurs twice. */
  #attributes(from: number): { attrs: Token.Attribute[]; end: number } | null {
    const attrs: Token.Attribute[] = [];
    let end = from;
    for (;;) {
      const [found, name = "", value = ""] = this.#at(plainAttribute, end) ?? [];
      if (found === undefined) return { attrs, end };
      if (attrs.length === maxAttributes || attrs.some((one) => one.name === name)) return null;
      attrs.push({ name: copyOf(name), value: copyOf(value) });
      end += found.length;
    }
  }

  protected override _stateTagOpen(codePoint: number): void {
    const name = this.#at(plainName, this.preprocessor.pos)?.[0];
    const read = name === undefined ? null : this.#attributes(plainName.lastIndex);
    const end = read && this.#at(plainEnd, read.end);
    if (name === undefined || !end) {
      super._stateTagOpen(codePoint);
      return;
    }
    this._createStartTagToken();
    const token = this.currentToken as Token.TagToken;
    token.attrs = read.attrs;
    token.selfClosing = end[1] !== undefined;
    this.#emit(token, name, plainEnd.lastIndex);
  }

  protected override _stateEndTagOpen(codePoint: number): void {
    const name = this.#at(plainName, this.preprocessor.pos)?.[0];
    const end = plainName.lastIndex;
    if (name === undefined || this.preprocessor.html[end] !== ">") {
      super._stateEndTagOpen(codePoint);
      return;
    }
    this._createEndTagToken();
    this.#emit(this.currentToken as Token.TagToken, name, end + 1);
  }

  protected override _createAttr(start: string): void {
    this._flushRun("");
    this.currentAttr = { name: start, value: "" };
  }
}

/** Marks an element as closed by an end tag of its own, without the position. */
const closed = Object.freeze({}) as Token.Location;

/** parse5's parser, which keeps only the start positions of elements. */
class SourceParser extends BoundedParser<Tree> {
  constructor(options: ParserOptions<Tree>, maxNodes: number) {
    super(options, maxNodes);
    this.tokenizer = new StretchTokenizer(this);
  }

  override _attachElementToTree(
    element: Tree["element"],
    location: Token.Location | null,
    { parent, beforeElement }: Parameters<Source["_attachElementToTree"]>[2],
  ): void {
    this.countNode();
    if (location) {
      const { startLine, startCol, startOffset } = location;
      element.sourceCodeLocation = { startLine, startCol, startOffset } as Token.Location;
    }
    if (beforeElement) this.treeAdapter.insertBefore(parent, element, beforeElement);
    else this.treeAdapter.appendChild(parent, element);
  }

  override _setEndLocation(element: Tree["element"], by: Token.Token): void {
    const place = element.sourceCodeLocation;
    // Implied elements aren't reported, not even as closed.
    if (!place || by.type !== Token.TokenType.END_TAG) return;
    if (by.tagName === element.name) place.endTag = closed;
  }

  override _insertCharacters(token: Token.CharacterToken): void {
    token.location = null;
    super._insertCharacters(token);
  }
}

/**
 * Parses a document into a tree with the start positions of elements; `onParseError` receives each
 * error.
 * @throws HtmlTooComplex if it would have more than `maxNodes` elements and comments
 */
export function parseSource(
  text: string,
  onParseError: NonNullable<ParserOptions<Tree>["onParseError"]>,
  maxNodes = defaultMaxNodes,
): Tree["document"] {
  const options = { treeAdapter: sourceTree, sourceCodeLocationInfo: true, onParseError };
  return new SourceParser(options, maxNodes).read(text);
}
