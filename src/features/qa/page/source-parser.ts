/* oxlint-disable no-underscore-dangle -- so parse5 names what subclasses may change */
import { InsertionMode, Parser, type ParserOptions, Token, Tokenizer } from "parse5";
import type { Htmlparser2TreeAdapterMap } from "parse5-htmlparser2-tree-adapter";
import { sourceTree } from "./source-tree.ts";

type Tree = Htmlparser2TreeAdapterMap;
type Source = Parser<Tree>;

/** What stands for itself, as far as it goes without a line break: nothing to decode, no error. */
const plainText = /[ -%'-;=-~\u00A0-\uD7FF]+/y;
const plainValue = /[ !#-%'-~\u00A0-\uD7FF]+/y;
const plainName = /[a-z0-9-]+/y;

/**
 * parse5's tokenizer, which goes from character to character, with stretches of names, values and
 * text taken whole. Words and the spaces between them are told as one text where the standard treats
 * them alike. Where attributes stand in the source is not kept.
 */
class StretchTokenizer extends Tokenizer {
  readonly #parser: Source;

  constructor(parser: Source) {
    super(parser.options, parser);
    this.#parser = parser;
  }

  /** Where what follows the current character and is as it is here ends; null for nothing. */
  #end(plain: RegExp): number | null {
    const { html, pos } = this.preprocessor;
    const last = html.charCodeAt(pos);
    // After a line break the next character is a new line's first: counting is left to parse5.
    if (last === 0x0a || last === 0x0d) return null;
    plain.lastIndex = pos + 1;
    return plain.test(html) ? plain.lastIndex : null;
  }

  #takeName(): string {
    const { preprocessor } = this;
    const end = this.#end(plainName);
    if (end === null) return "";
    const name = preprocessor.html.slice(preprocessor.pos + 1, end);
    preprocessor.pos = end - 1;
    return name;
  }

  /** Adds to the run of input that is used as it is. */
  #takeRun(plain: RegExp): void {
    const { preprocessor } = this;
    const end = this.#end(plain);
    if (end === null) return;
    const start = preprocessor.pos + 1;
    if (start !== this.runEnd) {
      this._flushRun("");
      this.runStart = start;
    }
    this.runEnd = end;
    preprocessor.pos = end - 1;
  }

  protected override _stateData(codePoint: number): void {
    const { state } = this;
    super._stateData(codePoint);
    const isText = this.currentCharacterToken?.type === Token.TokenType.CHARACTER;
    if (isText && this.state === state && this.#parser.insertionMode === InsertionMode.IN_BODY) {
      this.#takeRun(plainText);
    }
  }

  protected override _stateTagName(codePoint: number): void {
    const { state } = this;
    super._stateTagName(codePoint);
    if (this.state === state) (this.currentToken as Token.TagToken).tagName += this.#takeName();
  }

  protected override _stateAttributeName(codePoint: number): void {
    const { state } = this;
    super._stateAttributeName(codePoint);
    if (this.state === state) this.currentAttr.name += this.#takeName();
  }

  protected override _stateAttributeValueDoubleQuoted(codePoint: number): void {
    const { state } = this;
    super._stateAttributeValueDoubleQuoted(codePoint);
    if (this.state === state) this.#takeRun(plainValue);
  }

  protected override _createAttr(start: string): void {
    this._flushRun("");
    this.currentAttr = { name: start, value: "" };
  }
}

/** Says that an element is closed by a tag of its own; where is not kept. */
const closed = Object.freeze({}) as Token.Location;

/** parse5's parser, which keeps of the source where elements begin, and nothing else. */
class SourceParser extends Parser<Tree> {
  constructor(options: ParserOptions<Tree>) {
    super(options);
    this.tokenizer = new StretchTokenizer(this);
  }

  override _attachElementToTree(
    element: Tree["element"],
    location: Token.Location | null,
    { parent, beforeElement }: Parameters<Source["_attachElementToTree"]>[2],
  ): void {
    if (location) {
      const { startLine, startCol, startOffset } = location;
      element.sourceCodeLocation = { startLine, startCol, startOffset } as Token.Location;
    }
    if (beforeElement) this.treeAdapter.insertBefore(parent, element, beforeElement);
    else this.treeAdapter.appendChild(parent, element);
  }

  override _setEndLocation(element: Tree["element"], by: Token.Token): void {
    const place = element.sourceCodeLocation;
    // Of what the source does not have nothing is told, not even by what it ends.
    if (!place || by.type !== Token.TokenType.END_TAG) return;
    if (by.tagName === element.name) place.endTag = closed;
  }

  override _insertCharacters(token: Token.CharacterToken): void {
    token.location = null;
    super._insertCharacters(token);
  }
}

/** The tree of a document, with where its elements begin; `onParseError` is told each error. */
export function parseSource(
  text: string,
  onParseError: NonNullable<ParserOptions<Tree>["onParseError"]>,
): Tree["document"] {
  const options = { treeAdapter: sourceTree, sourceCodeLocationInfo: true, onParseError };
  return SourceParser.parse(text, options) as Tree["document"];
}
