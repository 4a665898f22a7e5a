import { decodeEntities } from "./entity.ts";

/** A start tag, or what would be one if a parser reached it in the right state. */
export interface Tag {
  /** Lowercase. */
  name: string;
  /** Names in lowercase, values with decoded character references; a name can occur twice. */
  attributes: readonly Attribute[];
  /** Its offsets in the text. */
  start: number;
  end: number;
  selfClosing: boolean;
}

export interface Attribute {
  name: string;
  value: string;
}

/** The text costs more to read than any page made by people or tools. */
export class MarkupTooComplex extends Error {}

// Only looks ahead: what seems to be inside a name, as in `<&<script>`, begins a tag where HTML has
// no name before it.
const tagName = /<(?=([^\t\n\f\r />!?<=\d"'-][^\t\n\f\r />]*))/g;
const attribute =
  /[\t\n\f\r /]*(?:(>)|([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >]*)))?)/y;

/** Maximum attributes of a tag that are read. */
const maxAttributes = 2000;

/**
 * All start tags that any parser could find in a text: a tag is read from every `<`, wherever it
 * is, even in comments, scripts, texts, and attributes. Which of them become elements depends on
 * the parser's state, and browsers differ in it between versions (for example for `select`); a tag
 * that isn't among these can't become an element in any. Inside a tag they agree (HTML standard,
 * 13.2.5.8 to 13.2.5.40), and XML's tags are a subset. Throws `MarkupTooComplex`.
 */
export function* tagsOf(text: string): Generator<Tag> {
  let budget = 6 * text.length + 100_000;
  for (const match of text.matchAll(tagName)) {
    const attributes: Attribute[] = [];
    const [, name = ""] = match;
    let end = match.index + 1 + name.length;
    let closed = false;
    while (!closed) {
      attribute.lastIndex = end;
      const found = attribute.exec(text);
      if (!found || found[0] === "") break;
      end += found[0].length;
      closed = found[1] !== undefined;
      if (found[2] === undefined) continue;
      const raw = found[3] ?? found[4] ?? found[5] ?? "";
      attributes.push({ name: found[2].toLowerCase(), value: decodeEntities(raw) });
      if (attributes.length > maxAttributes) throw new MarkupTooComplex("a tag has no end");
    }
    budget -= end - match.index;
    if (budget < 0) throw new MarkupTooComplex("its tags are nested too deeply");
    const selfClosing = closed && text[end - 2] === "/";
    yield {
      name: name.toLowerCase(),
      attributes,
      start: match.index,
      end,
      selfClosing,
    };
  }
}

/** The first value of an attribute; undefined if it is missing. */
export function valueOf(tag: Tag, name: string): string | undefined {
  return tag.attributes.find((one) => one.name === name)?.value;
}
