import { isImageName } from "../../folder/media-names.ts";
import {
  decodeEntities,
  frontMatterText,
  imageMarkdown,
  type MarkupContext,
  mediaInExpression,
  videoLink,
} from "./markup-context.ts";
import type { Tag } from "./tags.ts";

/** What an element holds, in Markdown, and what has been found in it. */
export interface Frame {
  tag: Tag;
  parts: string[];
  items: string[];
  rows: string[][];
  caption: string;
}

const setOf = (words: string) => new Set(words.split(" "));
/** Elements of HTML that a text may have; others with such a beginning are signs in a text. */
const known = setOf(
  "a abbr address article aside audio b big blockquote body br button caption center cite code col colgroup dd del details dfn div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark menu meta nav noscript object ol option p picture pre q s samp script section select small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead title tr track tt u ul var video wbr",
);
const blocks = setOf(
  "address article aside body center dd details div dl dt fieldset figure footer form header html main nav p section summary template",
);
const dropped = setOf("script style svg head noscript form select textarea button template object");

export const isKnownTag = (name: string) => known.has(name.toLowerCase());
/** Elements without a text, and components of MDX that are called after one; a Button has a text. */
export const isDropped = (name: string) =>
  dropped.has(name.toLowerCase()) && !/^(?:Button|Object|Template)$/.test(name);
/** Whether an element stands apart from the text around it. */
export const isBlock = (name: string) =>
  blocks.has(name.toLowerCase()) || /^(?:h[1-6]|ul|ol|li|table|blockquote|pre)$/i.test(name);

/** A text on one line. */
export const line = (text: string) => text.replace(/\s+/g, " ").trim();
/** A text as a paragraph of its own. */
export const block = (text: string) => `\n\n${text.trim()}\n\n`;
/** A text between two marks. */
export const wrapped = (mark: string, text: string) =>
  text.trim() === "" ? text : text.replace(/\S[\s\S]*\S|\S/, (inner) => `${mark}${inner}${mark}`);

/** An attribute as a text; null where only a program knows it. */
function attributeText(tag: Tag, name: string, context: MarkupContext): string | null {
  const value = tag.attributes.get(name);
  if (value === undefined) return null;
  if (!value.startsWith("{")) return decodeEntities(value);
  const [media] = mediaInExpression(value, context);
  if (media !== undefined) return media;
  const inner = value.slice(1, -1).trim();
  const quoted = /^(["'`])([^"'`]*)\1$/.exec(inner)?.[2];
  return quoted ?? frontMatterText(inner, context);
}

/** The first of the attributes that has a text. */
export function firstText(tag: Tag, names: readonly string[], context: MarkupContext): string {
  for (const name of names) {
    const text = attributeText(tag, name, context);
    if (text !== null && text.trim() !== "") return text;
  }
  return "";
}

/** The attributes that hold the address of what an element shows. */
export const sources = ["src", "data-src", "data-original", "data-lazy-src"];

/** The first address of a `srcset`. */
function fromSet(tag: Tag, context: MarkupContext): string {
  const set = firstText(tag, ["srcset", "data-srcset"], context);
  return set.trim().split(/[\s,]+/)[0] ?? "";
}

/** The link to what another site shows in a frame. */
export function embedded(tag: Tag, context: MarkupContext): string {
  const address = firstText(tag, [...sources, "url"], context);
  const video = videoLink("", address);
  if (video !== null) return block(video);
  if (!/^(?:https?:)?\/\//.test(address)) return "";
  const host = /\/\/([^/?#]+)/.exec(address)?.[1] ?? address;
  return block(
    `[${line(firstText(tag, ["title"], context)) || host}](${address.replace(/^\/\//, "https://")})`,
  );
}

/** What an element without content becomes. */
export function emptyElement(tag: Tag, context: MarkupContext): string {
  const name = tag.name.toLowerCase();
  if (name === "br") return "  \n";
  if (name === "hr") return block("---");
  if (name === "iframe" || name === "embed") return embedded(tag, context);
  if (name === "img") {
    const address = firstText(tag, sources, context) || fromSet(tag, context);
    const title = firstText(tag, ["title"], context);
    return address === "" ? "" : imageMarkdown(address, firstText(tag, ["alt"], context), title);
  }
  return "";
}

function tableMarkdown(rows: readonly string[][]): string {
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width === 0) return "";
  const lines = rows.map(
    (row) => `| ${Array.from({ length: width }, (_, n) => row[n] ?? "").join(" | ")} |`,
  );
  return block([lines[0], `|${" --- |".repeat(width)}`, ...lines.slice(1)].join("\n"));
}

function listMarkdown({ tag, items }: Frame): string {
  const isOrdered = tag.name.toLowerCase() === "ol";
  const lines = items.map((item, index) => {
    const marker = isOrdered ? `${index + 1}. ` : "- ";
    return (
      marker +
      item
        .trim()
        .replace(/\n{3,}/g, "\n\n")
        .replace(/\n(?=.)/g, `\n${" ".repeat(marker.length)}`)
    );
  });
  return block(lines.join("\n"));
}

function figureMarkdown(inner: string, caption: string): string {
  const words = line(caption.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*_`]/g, ""));
  if (words === "") return block(inner);
  let isSaid = false;
  const text = inner.replace(
    /!\[([^\]]*)\]\((<[^>]*>|[^)\s]*)\)/,
    (_whole, alt: string, target: string) => {
      isSaid = true;
      return `![${alt}](${target} "${words.replace(/"/g, "'")}")`;
    },
  );
  return block(isSaid ? text : `${inner}\n\n*${words}*`);
}

/** A link to `address` with the words `inner`. */
export function linkMarkdown(address: string, inner: string, context: MarkupContext): string {
  const words = line(inner);
  const isZoom = words.startsWith("![") && isImageName(address.replace(/[?#].*$/, ""));
  // An image that leads to itself, larger: the larger one, where it is there.
  if (isZoom && context.isThere(address)) {
    const [, alt = "", title = ""] = /^!\[([^\]]*)\]\([^)"]*(?:"([^"]*)")?\)$/.exec(words) ?? [];
    return imageMarkdown(address, alt.replace(/\\([[\]])/g, "$1"), title);
  }
  if (address === "" || words === "" || isZoom) return inner;
  const target = /[\s()<>]/.test(address)
    ? `<${address.replace(/[<>\n]/g, encodeURIComponent)}>`
    : address;
  return `[${words}](${target})`;
}

const marks: Readonly<Record<string, string>> = {
  b: "**",
  strong: "**",
  i: "*",
  em: "*",
  cite: "*",
  del: "~~",
  s: "~~",
  strike: "~~",
};

function inlineMarkdown(name: string, inner: string): string | null {
  const mark = marks[name];
  if (mark !== undefined) return wrapped(mark, inner);
  if (!/^(?:code|kbd|samp|tt)$/.test(name)) return null;
  return line(inner) === "" ? "" : `\`${decodeEntities(line(inner))}\``;
}

/** What an element becomes once its content is known; `outer` is what it stands in. */
export function closeElement(frame: Frame, outer: Frame, context: MarkupContext): string {
  const inner = frame.parts.join("");
  const name = frame.tag.name.toLowerCase();
  if (/^h[1-6]$/.test(name)) {
    return line(inner) === "" ? "" : block(`${"#".repeat(Number(name[1]))} ${line(inner)}`);
  }
  // Code in <pre> is fenced as a whole.
  const isFenced = /^(?:code|samp|kbd)$/.test(name) && outer.tag.name.toLowerCase() === "pre";
  const inline = isFenced ? inner : inlineMarkdown(name, inner);
  if (inline !== null) return inline;
  switch (name) {
    case "a":
      return linkMarkdown(firstText(frame.tag, ["href"], context), inner, context);
    case "summary":
      return block(wrapped("**", line(inner)));
    case "li":
      outer.items.push(inner);
      return /^(?:ul|ol|menu)$/i.test(outer.tag.name) ? "" : block(`- ${inner.trim()}`);
    case "ul":
    case "ol":
      return frame.items.length > 0 ? listMarkdown(frame) : block(inner);
    case "td":
    case "th":
      outer.rows.at(-1)?.push(line(inner).replace(/\|/g, "\\|"));
      return outer.rows.length > 0 ? "" : inner;
    case "table":
      return tableMarkdown(frame.rows.filter((row) => row.length > 0)) || block(inner);
    case "blockquote":
      return block(inner.trim().replace(/^/gm, "> "));
    case "figcaption":
      outer.caption += inner;
      return outer.tag.name.toLowerCase() === "figure" ? "" : block(inner);
    case "figure":
      return figureMarkdown(inner, frame.caption);
    case "video": {
      const address = firstText(frame.tag, sources, context) || (frame.items[0] ?? "");
      return address === ""
        ? ""
        : block(imageMarkdown(address, firstText(frame.tag, ["title"], context)));
    }
    case "audio":
    case "iframe":
      return embedded(frame.tag, context);
    case "pre":
      return `\n\n\`\`\`\n${decodeEntities(inner.replace(/^\n|\s+$/g, ""))}\n\`\`\`\n\n`;
    default:
      return isBlock(name) ? block(inner) : inner;
  }
}
