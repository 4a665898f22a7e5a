import { isMediaName } from "../../folder/media-names.ts";
import {
  block,
  embedded,
  firstText,
  type Frame,
  line,
  linkMarkdown,
  sources,
  wrapped,
} from "./elements.ts";
import {
  imageMarkdown,
  type MarkupContext,
  mediaInExpression,
  videoLink,
} from "./markup-context.ts";
import type { Tag } from "./tags.ts";

/** The images that a component of MDX is given, wherever it takes them. */
export function componentImages(tag: Tag, context: MarkupContext): string {
  const found: string[] = [];
  for (const [name, value] of tag.attributes) {
    if (value.startsWith("{")) found.push(...mediaInExpression(value, context));
    else if (name !== "href" && isMediaName(value.replace(/[?#].*$/, ""))) found.push(value);
  }
  const src = firstText(tag, sources, context);
  if (found.length === 0 && /^(?:image|img|picture|photo)/i.test(tag.name) && src !== "") {
    found.push(src);
  }
  const alt = firstText(tag, ["alt", "imagealt"], context);
  const caption = firstText(tag, ["caption", "figcaption", "title"], context);
  const images = [...new Set(found)].map((address) =>
    imageMarkdown(address, alt || caption, caption),
  );
  return images.length === 0 ? "" : block(images.join("\n\n"));
}

/** What a component says itself, such as a video's id. */
export function componentText(tag: Tag, context: MarkupContext): string {
  for (const name of ["id", "videoid", "youtubeid", "vimeoid", ...sources, "url"]) {
    const video = videoLink(tag.name, firstText(tag, [name], context));
    if (video !== null) return block(video);
  }
  if (/iframe|embed|video|youtube|vimeo/i.test(tag.name)) return embedded(tag, context);
  return "";
}

/** Components that stand around a text of their own, such as a note, however short it is. */
const container =
  /accordion|admonition|alert|aside|box|callout|card|collaps|danger|details|info|note|panel|section|step|tab|tip(?!py)|warning/i;

const isContainer = (name: string) => container.test(name) && !/tooltip/i.test(name);

/** The title of a component that holds `inner`, as a bold line; empty for none. */
export function componentTitle(tag: Tag, inner: string, context: MarkupContext): string {
  if (!isContainer(tag.name) && !inner.trim().includes("\n")) return "";
  const title = firstText(tag, ["title", "heading", "summary", "label"], context);
  return title === "" ? "" : block(wrapped("**", line(title)));
}

const addressNames = ["href", "to", "url", "link"];

/** Where a component leads; empty for none, which is noted where only a program knows it. */
function addressOf(tag: Tag, context: MarkupContext): string {
  const address = firstText(tag, addressNames, context).trim();
  if (isMediaName(address.replace(/[?#].*$/, ""))) return "";
  const said = addressNames.find((name) => tag.attributes.get(name)?.startsWith("{"));
  const isText = /^(?:https?:|mailto:|tel:|[/#.]|[\w.-]+\/)/i.test(address);
  if (address === "" && said !== undefined && mediaInExpression(said, context).length === 0) {
    context.leaveOut(`${said} of <${tag.name}>`);
  }
  return isText ? address : "";
}

/** The link of a component without content, with the words that it has in its attributes. */
function componentLink(tag: Tag, context: MarkupContext): string {
  const address = addressOf(tag, context);
  const words = firstText(tag, ["text", "label", "title", "name", "heading"], context);
  return address === "" || words === "" ? "" : block(linkMarkdown(address, words, context));
}

/** What a component without content becomes; empty for nothing. */
export function emptyComponent(tag: Tag, context: MarkupContext): string {
  const images = componentImages(tag, context);
  const shown = images === "" ? componentText(tag, context) : images;
  return images !== "" || shown === "" ? shown + componentLink(tag, context) : shown;
}

/** A quotation with whom it is by. */
function quoteMarkdown(tag: Tag, inner: string, context: MarkupContext): string {
  const author = firstText(tag, ["author", "by", "attribution", "name"], context);
  const from = ["role", "company", "source", "cite"].map((name) => firstText(tag, [name], context));
  const by = [author, ...from].map(line).filter((each) => each !== "");
  const text = by.length === 0 ? inner : `${inner}\n\n— ${by.join(", ")}`;
  return inner.startsWith(">") ? text : text.replace(/^/gm, "> ").replace(/ +$/gm, "");
}

/** Whether words stand beside a component in its line. */
function isInSentence(text: string, { start }: Tag, end: number): boolean {
  const before = text.slice(Math.max(0, start - 300), start).replace(/^[\s\S]*\n/, "");
  const after = text.slice(end, end + 300).replace(/\n[\s\S]*$/, "");
  // Between other tags, it is an item among others.
  if (/(?:^|>)$/.test(before) && /^(?:<|$)/.test(after)) return false;
  return /[^\s>-]/.test(`${before} ${after}`.replace(/<[^<>]*>/g, ""));
}

/** What a component becomes, once its content is known; it ends at `end` of `text`. */
export function closeComponent(
  { tag, parts }: Frame,
  { text, end }: { text: string; end: number },
  context: MarkupContext,
): string {
  const inner = parts.join("").trim();
  if (componentImages(tag, context) !== "") return `\n\n${inner}\n\n${componentLink(tag, context)}`;
  const title = componentTitle(tag, inner, context);
  const address = addressOf(tag, context);
  if (/quote|testimonial/i.test(tag.name) && inner !== "") {
    return title + block(quoteMarkdown(tag, inner, context));
  }
  if (inner.includes("\n") || inner === "") {
    // A link can't hold paragraphs, so it stands after them.
    const link = componentLink(tag, context);
    const isShown = inner !== "" || componentText(tag, context) !== "";
    if (link === "" && address !== "") context.leaveOut(`${address} of <${tag.name}>`);
    else if (link === "" && title === "" && !isShown) context.leaveOut(`<${tag.name}>`);
    return `${link === "" ? title : ""}\n\n${inner}\n\n${link}`;
  }
  const words = address === "" ? inner : linkMarkdown(address, inner, context);
  const isInline = title === "" && !isContainer(tag.name) && isInSentence(text, tag, end);
  return isInline ? words : `${title}\n\n${words}\n\n`;
}
