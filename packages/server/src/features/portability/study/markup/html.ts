import { closeComponent, componentImages, componentText, emptyComponent } from "./components.ts";
import {
  closeElement,
  emptyElement,
  type Frame,
  isBlock,
  isDropped,
  isKnownTag,
} from "./elements.ts";
import type { MarkupContext } from "./markup-context.ts";
import { convertExpressions, endOfBraces } from "./mdx.ts";
import { readTag, type Tag } from "./tags.ts";

/** How deep elements may lie in each other, and how many signs may look like a tag and be none. */
const maxDepth = 200;
const maxFailures = 500;

const rootTag: Tag = { name: "", kind: "open", attributes: new Map(), start: 0, end: 0 };
const newFrame = (tag: Tag): Frame => ({ tag, parts: [], items: [], rows: [], caption: "" });

const isComponent = (name: string) =>
  /^[A-Z]/.test(name) || name.includes("-") || name.includes(".");

interface Conversion {
  text: string;
  context: MarkupContext;
  stack: Frame[];
}

const top = ({ stack }: Conversion) => stack.at(-1) as Frame;
const nameOf = ({ tag }: Frame) => tag.name.toLowerCase();

/** A text between tags; inside of blocks its indentation is the markup's, not that of code. */
function addText(conversion: Conversion, from: number, to: number): void {
  const { context, stack } = conversion;
  const raw = conversion.text.slice(from, to);
  const isPre = stack.some((frame) => nameOf(frame) === "pre");
  const text = context.isMdx && !isPre ? convertExpressions(raw, context) : raw;
  const isInside = stack.some((frame) => isBlock(nameOf(frame)) || isComponent(frame.tag.name));
  top(conversion).parts.push(isInside && !isPre ? text.replace(/\n[^\S\n]+/g, "\n") : text);
}

/** Closes the innermost element, whose end is at `end` of the text. */
function closeTop(conversion: Conversion, end: number): void {
  const frame = conversion.stack.pop() as Frame;
  const outer = top(conversion);
  const name = nameOf(frame);
  if (isComponent(frame.tag.name)) {
    const { text, context } = conversion;
    outer.parts.push(closeComponent(frame, { text, end }, context));
    return;
  }
  // A row is its table's, whatever stands between.
  const table = conversion.stack.findLast((each) => nameOf(each) === "table");
  const holder = /^t[dh]$/.test(name) ? (table ?? outer) : outer;
  outer.parts.push(closeElement(frame, holder, conversion.context));
}

/** Whether an element is closed by what follows it, as HTML has it where its end is left out. */
function closesBefore(opened: string, next: string): boolean {
  if (opened === "p") return isBlock(next);
  if (opened === "li") return next === "li";
  return /^t[dh]$/.test(opened) && /^(?:t[dhr]|tbody)$/.test(next);
}

function openTag(conversion: Conversion, tag: Tag): void {
  const { context, stack } = conversion;
  const name = tag.name.toLowerCase();
  if (isComponent(tag.name)) {
    const isContainer = tag.kind === "open";
    const shown = isContainer
      ? componentImages(tag, context) || componentText(tag, context)
      : emptyComponent(tag, context);
    if (shown === "" && !isContainer) context.leaveOut(`<${tag.name}>`);
    if (shown !== "") top(conversion).parts.push(shown);
    if (isContainer && stack.length < maxDepth) stack.push(newFrame(tag));
    return;
  }
  if (stack.length > 1 && closesBefore(nameOf(top(conversion)), name)) {
    closeTop(conversion, tag.start);
  }
  if (name === "tr") stack.findLast((each) => nameOf(each) === "table")?.rows.push([]);
  if (name === "source") {
    const video = stack.findLast((each) => nameOf(each) === "video");
    const address = tag.attributes.get("src");
    if (video !== undefined && address) video.items.push(address);
    return;
  }
  if (tag.kind === "empty") top(conversion).parts.push(emptyElement(tag, context));
  else if (stack.length < maxDepth) stack.push(newFrame(tag));
}

function closeTag(conversion: Conversion, tag: Tag): void {
  const { stack } = conversion;
  const index = stack.findLastIndex(
    (frame, at) => at > 0 && nameOf(frame) === tag.name.toLowerCase(),
  );
  if (index < 0) return;
  while (stack.length > index) closeTop(conversion, tag.end);
}

/** The end of an element whose content is no text, such as a script. */
function endOfDropped(text: string, tag: Tag): number {
  if (tag.kind !== "open") return tag.end;
  const closing = new RegExp(`</${tag.name}\\s*>`, "gi");
  closing.lastIndex = tag.end;
  return closing.exec(text) === null ? tag.end : closing.lastIndex;
}

function handleTag(conversion: Conversion, tag: Tag): number {
  const { text, context } = conversion;
  if (isDropped(tag.name)) {
    const end = endOfDropped(text, tag);
    if (tag.kind !== "close" && !/^(?:head|noscript|style)$/i.test(tag.name)) {
      context.leaveOut(`<${tag.name.toLowerCase()}>`);
    }
    return end;
  }
  if (tag.kind === "close") closeTag(conversion, tag);
  else openTag(conversion, tag);
  return tag.end;
}

/** The next sign that may begin a tag or, in MDX, an expression. */
function nextMark(text: string, at: number, isMdx: boolean): number {
  const pattern = isMdx ? /[<{]/g : /</g;
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? -1;
}

const doctype = /<!doctype[^>]*>/gi;
const commentOrDoctype = /<!--[\s\S]{0,3000}?-->|<!doctype[^>]*>/gi;

/**
 * Turns the HTML and JSX in a text into Markdown: elements that Markdown has become those, others
 * give way to what they hold, and scripts, forms and components without content go, which is noted.
 */
export function convertHtml(source: string, context: MarkupContext): string {
  if (!/[<{]/.test(source)) return source;
  const text = source.replace(source.includes("-->") ? commentOrDoctype : doctype, "");
  const conversion: Conversion = { text, context, stack: [newFrame(rootTag)] };
  let done = 0;
  let at = 0;
  for (let failures = 0; failures < maxFailures;) {
    const start = nextMark(text, at, context.isMdx);
    if (start < 0) break;
    if (text[start] === "{") {
      // The expression is a whole, whatever tags it makes.
      const end = endOfBraces(text, start);
      if (end < 0) failures += 1;
      at = end < 0 ? start + 1 : end;
      continue;
    }
    const tag = readTag(text, start);
    const isTag =
      tag !== null &&
      (tag.name === "" ? context.isMdx : isKnownTag(tag.name) || isComponent(tag.name));
    if (!isTag || (isComponent(tag.name) && !context.isMdx && !/-/.test(tag.name))) {
      if (tag === null) failures += 1;
      at = start + 1;
      continue;
    }
    addText(conversion, done, start);
    at = tag.name === "" ? tag.end : handleTag(conversion, tag);
    done = at;
  }
  addText(conversion, done, text.length);
  while (conversion.stack.length > 1) closeTop(conversion, text.length);
  return top(conversion).parts.join("");
}
