import { isMediaName } from "../../folder/media-names.ts";
import { convertFootnotes } from "./footnotes.ts";
import { convertHtml } from "./html.ts";
import { imageMarkdown, type MarkupContext, videoLink } from "./markup-context.ts";
import { takeModules } from "./mdx.ts";
import { takeCode } from "./code.ts";
import { convertPageReferences } from "./page-references.ts";
import { convertTemplates } from "./templates.ts";

export interface MarkdownConversion {
  text: string;
  /** What Markdown can't hold, each once, by its name. */
  leftOut: string[];
  /** Whether the text has become another one. */
  isChanged: boolean;
}

export interface ConvertOptions {
  /** The name of the file, whose extension tells what it is written in. */
  name: string;
  /** The front matter. */
  values: ReadonlyMap<string, unknown>;
  /** Whether an address leads to a file of the folder. */
  isThere(address: string): boolean;
}

/** The bold line that a container's title becomes; empty if it has none. */
function titleLine(text: string): string {
  const title =
    /^\[([^\]]{1,300})\]/.exec(text)?.[1] ??
    /\btitle\s{0,9}=\s{0,9}(?:"([^"]{1,300})"|'([^']{1,300})')/
      .exec(text)
      ?.slice(1)
      .find(Boolean) ??
    text.replace(/\{[^{}]{0,300}\}\s*$/, "");
  return title.trim() === "" ? "" : `**${title.trim()}**`;
}

/**
 * Takes away the marks around a container, such as `:::note Title` and `:::`, or of an alert, such as
 * `> [!note] Title`. Its title becomes a bold line.
 */
function convertContainers(text: string): string {
  if (!/:::|\[!/.test(text)) return text;
  return text
    .replace(
      /^[ \t]{0,20}:{3,10}[ \t]{0,20}(?:[A-Za-z][\w-]{0,40}|(?=\{))([^\n]{0,600})$/gm,
      (_whole, rest: string) => `\n${titleLine(rest.trim())}\n`,
    )
    .replace(/^[ \t]{0,20}:{3,10}[ \t]{0,20}$/gm, "")
    .replace(
      /^([ \t]{0,20}>[> \t]{0,20})\[!\w{1,40}\][+-]?([^\n]{0,600})$/gm,
      (_whole, quote: string, rest: string) => {
        const title = titleLine(rest.trim());
        return title === "" ? quote.trimEnd() : `${quote}${title}\n${quote.trimEnd()}`;
      },
    );
}

/** A button that shows an image in full size becomes the image. */
function unwrapZoomButtons(text: string): string {
  return text.replace(
    /<button\b[^<>]{0,2000}>([\s\S]{0,4000}?)<\/button>/g,
    (whole, inner: string) => (/<(?:img|picture|\w*Image)\b/.test(inner) ? inner : whole),
  );
}

/** A link to another text of the folder; one that leads to none becomes its words later. */
const noteLink = (note: string, words: string) =>
  `[${words}](${encodeURI(note.toWellFormed()).replaceAll("(", "%28").replaceAll(")", "%29")})`;

/** What Kramdown, Hugo and Obsidian write that Markdown has no word for. */
function convertDialects(text: string): string {
  return (
    text
      .replace(
        /!\[\[([^\]|\n]{1,300})(?:\|([^\]\n]{0,300}))?\]\]/g,
        (_whole, address: string, alt?: string) =>
          imageMarkdown(address.trim(), /^\d+(?:x\d+)?$/.test(alt ?? "") ? "" : alt),
      )
      // A title without quotation marks.
      .replace(
        /(!\[[^\]\n]{0,300}\]\([^()<>\s"]{1,300}\.[a-z0-9]{2,5})[ \t]+([^()<>\n"']{1,300})\)/gi,
        (whole, before: string, title: string) =>
          isMediaName(before) && !/\.[a-z0-9]{2,5}$/i.test(title)
            ? `${before} "${title.trim()}")`
            : whole,
      )
      // An address with spaces, as file names have them, stands in < > in CommonMark.
      .replace(
        /(!\[[^\]\n]{0,300}\]\()([^()<>\n"]{1,300}?\.[a-z0-9]{2,5})\)/gi,
        (whole, before: string, address: string) =>
          /\s/.test(address.trim()) && isMediaName(address.trim())
            ? `${before}<${address.trim()}>)`
            : whole,
      )
      // A table of contents, of which Kramdown needs an item to begin with.
      .replace(
        /^[ \t]{0,20}(?:[*+-]|\d{1,9}\.)[ \t]{1,20}[^\n]{1,300}\n[ \t]{0,20}\{:\s{0,9}toc\b[^}\n]{0,200}\}/gm,
        "",
      )
      .replace(/\{:\s{0,9}[^}\n]{0,300}\}/g, "")
      .replace(/(?<=[)\]\w])\{[.#][^}\n]{0,300}\}/g, "")
      .replace(/^(#{1,6} [^\n]{0,500}?)[ \t]{0,20}\{#[^}\n]{0,200}\}[ \t]{0,20}$/gm, "$1")
      .replace(/^[ \t]{0,20}\[{1,2}toc\]{1,2}[ \t]{0,20}$/gim, "")
      // A link to another note.
      .replace(
        /(?<!!)\[\[([^[\]|\n]{1,300})(?:\|([^[\]\n]{1,300}))?\]\](?!\()/g,
        (_whole, note: string, words = note) => noteLink(note.trim(), String(words).trim()),
      )
      // Marked with a highlighter.
      .replace(/(?<![=\w])==(?=[^\s=])([^=\n]{0,299}[^\s=])==(?![=\w])/g, "**$1**")
  );
}

/** Turns the videos of gatsby-remark-embed-video, which are code in a line of its own, into links. */
function convertVideoLines(text: string): string {
  return text.replace(
    /(?<=^|\n\n)`(youtube|vimeo|video):[ \t]{0,9}([^`\s]{1,300})`(?=[ \t]{0,9}(?:\n|$))/gi,
    (whole, service: string, address: string) => videoLink(service, address) ?? whole,
  );
}

/**
 * Turns the text of a study into Markdown: MDX, Liquid, Nunjucks, Hugo's shortcodes and HTML become
 * what Markdown can hold; the rest is left out and named. Code stays as it is.
 */
export function toMarkdown(
  source: string,
  { name, values, isThere }: ConvertOptions,
): MarkdownConversion {
  const leftOut = new Set<string>();
  const isMdx = /\.mdx$/i.test(name);
  const code = takeCode(convertVideoLines(source));
  const modules = isMdx ? takeModules(code.text) : { text: code.text, imports: new Map() };
  const context: MarkupContext = {
    imports: modules.imports,
    values,
    isMdx,
    isThere,
    leaveOut: (what) => void (leftOut.size < 20 && leftOut.add(what)),
  };
  const prepared = convertContainers(unwrapZoomButtons(modules.text));
  const html = convertHtml(convertTemplates(convertPageReferences(prepared), context), context);
  const converted = convertFootnotes(convertDialects(html), context);
  const isChanged = converted !== code.text;
  const text = isChanged
    ? converted
        .replace(/^[ \t]+$/gm, "")
        .replace(/\n{3,}/g, "\n\n")
        .replace(/^\n+/, "")
    : converted;
  const restored = code.restore(text);
  return { text: restored, leftOut: [...leftOut], isChanged: isChanged || restored !== source };
}
