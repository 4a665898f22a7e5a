import { endOfBraces } from "./mdx.ts";

/** A tag as it stands in a text. */
export interface Tag {
  name: string;
  kind: "open" | "close" | "empty";
  /** As they are written; an expression in braces with its braces. */
  attributes: ReadonlyMap<string, string>;
  start: number;
  end: number;
}

/** No tag of anybody's is longer, in characters. */
const maxTagLength = 8000;
const voidTags = new Set(
  "area base br col embed hr img input link meta source track wbr".split(" "),
);
const attributeName = /[^\s=/>"'{}]+/y;

function skipSpace(text: string, at: number): number {
  let next = at;
  while (/\s/.test(text[next] ?? "")) next += 1;
  return next;
}

function readValue(text: string, at: number): { value: string; end: number } | null {
  const first = text[at] ?? "";
  if (first === '"' || first === "'") {
    const close = text.indexOf(first, at + 1);
    return close < 0 || close - at > maxTagLength
      ? null
      : { value: text.slice(at + 1, close), end: close + 1 };
  }
  if (first === "{") {
    const end = endOfBraces(text, at);
    return end < 0 ? null : { value: text.slice(at, end), end };
  }
  const bare = /[^\s>]*/y;
  bare.lastIndex = at;
  const value = bare.exec(text)?.[0] ?? "";
  return { value, end: at + value.length };
}

/** Reads the tag that begins at `start`, HTML's or JSX's; null where there is none. */
export function readTag(text: string, start: number): Tag | null {
  const opening = /<(\/?)([A-Za-z][\w.:-]*)?/y;
  opening.lastIndex = start;
  const found = opening.exec(text);
  if (found === null) return null;
  const [whole, slash = "", name = ""] = found;
  let at = start + whole.length;
  // A fragment of JSX, which has no name; else a sign in a text.
  if (name === "" && text[at] !== ">") return null;
  if (!/[\s/>{]/.test(text[at] ?? "")) return null;
  const attributes = new Map<string, string>();
  let isEmpty = false;
  while (at - start < maxTagLength) {
    at = skipSpace(text, at);
    const character = text[at];
    if (character === undefined) return null;
    if (character === ">") {
      // A name with a capital is a component's, such as Link, which has content.
      const hasContent = !isEmpty && !voidTags.has(name);
      const kind = slash === "" ? (hasContent ? "open" : "empty") : "close";
      return { name, kind, attributes, start, end: at + 1 };
    }
    isEmpty = character === "/";
    if (isEmpty) {
      at += 1;
      continue;
    }
    if (character === "{") {
      at = endOfBraces(text, at);
      if (at < 0) return null;
      continue;
    }
    attributeName.lastIndex = at;
    const attribute = attributeName.exec(text)?.[0];
    if (attribute === undefined) return null;
    at = skipSpace(text, at + attribute.length);
    if (text[at] !== "=") {
      attributes.set(attribute.toLowerCase(), "");
      continue;
    }
    const value = readValue(text, skipSpace(text, at + 1));
    if (value === null) return null;
    attributes.set(attribute.toLowerCase(), value.value);
    at = value.end;
  }
  return null;
}
