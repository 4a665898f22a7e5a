import { decodeEntities } from "./entity.ts";

/** A start tag, or what would be one if the parser came to stand before it. */
export interface Tag {
  /** In lower case. */
  name: string;
  /** Names in lower case, values with their character references read; one name may come twice. */
  attributes: readonly Attribute[];
  /** Where it begins, and where it ends, in the text. */
  start: number;
  end: number;
  selfClosing: boolean;
}

export interface Attribute {
  name: string;
  value: string;
}

/** The text costs more to read than a page made by people or tools. */
export class MarkupTooComplex extends Error {}

// Looks ahead only: what seems to be within a name, as in `<&<script>`, begins a tag where HTML has
// no name before it.
const tagName = /<(?=([^\t\n\f\r />!?<=\d"'-][^\t\n\f\r />]*))/g;
const attribute =
  /[\t\n\f\r /]*(?:(>)|([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >]*)))?)/y;

/** Of its attributes a tag may have so many. */
const maxAttributes = 2000;

/**
 * All start tags that any parser could find in a text: from every `<` a tag is read, wherever it
 * stands, also in comments, scripts, texts and attributes. Which of them become elements depends on
 * the parser's state, and browsers differ in it from version to version (`select` is an example); a
 * tag that none of these is can't become an element in any. Within a tag they agree (HTML standard,
 * 13.2.5.8 to 13.2.5.40), and XML's tags are a part of that. Throws `MarkupTooComplex`.
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
    if (budget < 0) throw new MarkupTooComplex("its tags lie within one another");
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

/** The first value of an attribute; undefined when it is not there. */
export function valueOf(tag: Tag, name: string): string | undefined {
  return tag.attributes.find((one) => one.name === name)?.value;
}
