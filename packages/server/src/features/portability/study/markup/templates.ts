import { isMediaName } from "../../folder/media-names.ts";
import { frontMatterText, imageMarkdown, type MarkupContext, videoLink } from "./markup-context.ts";

interface Arguments {
  named: Map<string, string>;
  /** Those without a name, in their order. */
  plain: string[];
}

/** The arguments of a tag, as Hugo, Liquid and Nunjucks write them. */
function readArguments(text: string, context: MarkupContext): Arguments {
  const named = new Map<string, string>();
  const plain: string[] = [];
  const pattern = /(?:([\w-]+)\s*[=:]\s*)?(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^\s,="']+))/g;
  for (const [, name, double, single, back, bare] of text.matchAll(pattern)) {
    const quoted = double ?? single ?? back;
    const value = quoted ?? frontMatterText(bare ?? "", context) ?? bare ?? "";
    if (name === undefined) plain.push(value);
    else named.set(name.toLowerCase(), value);
  }
  return { named, plain };
}

const isMedia = (text: string) => isMediaName(text.replace(/[?#].*$/, ""));

/** The Markdown of a tag that shows an image or a video; null for other tags. */
function showTag(name: string, { named, plain }: Arguments): string | null {
  const addresses = [...named.values(), ...plain].filter(isMedia);
  if (addresses.length > 0) {
    const say = (...names: string[]) =>
      names.map((each) => named.get(each)).find((text) => text !== undefined && !isMedia(text));
    const words = plain.slice(1).find((text) => /\s/.test(text) && !isMedia(text));
    const caption = say("caption", "figcaption", "title", "description") ?? "";
    const alt = say("alt", "imagealt", "img_alt") ?? words ?? caption;
    const images = [...new Set(addresses)].map((each) => imageMarkdown(each, alt, caption));
    return `\n\n${images.join("\n\n")}\n\n`;
  }
  const id = named.get("id") ?? named.get("videoid") ?? plain.at(-1) ?? "";
  const link = videoLink(name + (plain[0] ?? ""), id);
  return link === null ? null : `\n\n${link}\n\n`;
}

/** A caption in a shortcode of its own, right after the one that shows the image. */
const separateCaption =
  /(\{\{[<%]\s*[\w./-]+[^{}]{0,500}?\bsrc=[^{}]{0,500}?)(\/?\s*[>%]\}\})((?:\s*\{\{[<%]\s*\/[\w./-]+\s*[>%]\}\})*\s*)\{\{[<%]\s*[\w./-]*caption\b([^{}]{0,1000}?)\/?\s*[>%]\}\}/g;

/** A text that a tag has in its attributes. */
function wordsOf({ named }: Arguments): string {
  const [title, caption] = [named.get("title"), named.get("caption") ?? named.get("text")];
  return [title && `**${title.trim()}**`, caption?.trim()].filter(Boolean).join(" ");
}

/** Hugo's shortcodes: what shows an image becomes one, what stands around a text goes. */
function convertShortcodes(source: string, context: MarkupContext): string {
  const text = source.replace(
    separateCaption,
    (whole, image: string, end: string, between: string, caption: string) =>
      /\bcaption=/.test(image) || /\bsrc=/.test(caption)
        ? whole
        : `${image} ${caption}${end}${between}`,
  );
  const closed = new Set(
    [...text.matchAll(/\{\{[<%]\s*\/\s*([\w./-]+)/g)].map(([, name]) => name ?? ""),
  );
  return text.replace(
    /\{\{([<%])\s*(\/?)\s*([\w./-]+)([^{}]*?)\/?\s*[>%]\}\}/g,
    (_whole, _kind, closes: string, name: string, rest: string) => {
      if (closes !== "") return "\n";
      const given = readArguments(rest, context);
      if (/^(?:rel)?ref$/.test(name)) return given.plain[0] ?? "";
      const shown = showTag(name, given);
      if (shown !== null) return shown;
      const words = wordsOf(given);
      // What is between a shortcode and its end stays.
      if (words === "" && !closed.has(name)) context.leaveOut(`{{< ${name} >}}`);
      return words === "" ? "\n" : `\n\n${words}\n\n`;
    },
  );
}

/** The value of `{{ … }}`; null where only the generator knows it. */
function outputOf(expression: string, context: MarkupContext): string | null {
  const [head = "", ...filters] = expression.split("|").map((part) => part.trim());
  const quoted = /^["'`]([^"'`]*)["'`]$/.exec(head)?.[1];
  if (quoted !== undefined) return quoted;
  if (/^site\.(?:base_?url|url)$/i.test(head)) return "";
  // Prefixes before an address, such as {{ site.baseurl | append: "/x.png" }}.
  const appended = filters
    .map((filter) => /^(?:append|prepend):\s*["']([^"']*)["']/.exec(filter)?.[1])
    .filter((each) => each !== undefined);
  return frontMatterText(head, context) ?? (appended.length > 0 ? appended.join("") : null);
}

function convertBlock(name: string, rest: string, context: MarkupContext): string {
  if (/^(?:raw|endraw|verbatim|endverbatim|end\w+|else|elsif|elif|when)$/.test(name)) return "";
  const given = readArguments(rest, context);
  if (name === "link" || name === "post_url") return given.plain[0] ?? "";
  const shown = showTag(name, given);
  if (shown !== null) return shown;
  if (!/^(?:if|unless|assign|set|case|extends|block|layout)$/.test(name)) {
    const what = /^(?:include|render|include_relative)$/.test(name)
      ? ` ${given.plain[0] ?? ""}`
      : "";
    context.leaveOut(`{% ${name}${what} %}`);
  }
  return "";
}

const fenced =
  /\{%-?\s*highlight\s+([\w+-]*)[^%]{0,200}%\}([\s\S]{0,20000}?)\{%-?\s*endhighlight\s*-?%\}/g;
/** What isn't shown, by how it ends: a text without that is not searched for beginnings. */
const dropped = {
  endcomment: /\{%-?\s*comment\s*-?%\}[\s\S]{0,5000}?\{%-?\s*endcomment\s*-?%\}/g,
  "#}": /\{#[\s\S]{0,2000}?#\}/g,
};
const loops =
  /\{%-?\s*(for|capture|tablerow)\b(?:(?!\{%-?\s*(?:for|capture|tablerow)\b)[\s\S]){0,5000}?\{%-?\s*end\1\s*-?%\}/g;

/** Liquid's highlighted code as fences, which are code from then on. */
export function convertHighlights(text: string): string {
  return text.replace(
    fenced,
    (_whole, language: string, code: string) => `\n\`\`\`${language}\n${code.trim()}\n\`\`\`\n`,
  );
}

/** Turns Liquid, Nunjucks and Hugo's shortcodes into what Markdown can hold; notes the rest. */
export function convertTemplates(source: string, context: MarkupContext): string {
  if (!/\{[{%#]/.test(source)) return source;
  let text = source;
  for (const [end, pattern] of Object.entries(dropped)) {
    if (text.includes(end)) text = text.replace(pattern, "");
  }
  text = convertShortcodes(text, context);
  text = text.replace(loops, (whole, name: string) => {
    // A loop over images that stand in it shows them.
    context.leaveOut(`{% ${name} %}`);
    return whole.includes("\n\n") ? "\n\n" : "";
  });
  text = text.replace(/\{%-?\s*([\w-]+)([^%]*(?:%(?!\})[^%]*)*?)-?%\}/g, (_whole, name, rest) =>
    convertBlock(name, rest, context),
  );
  if (context.isMdx) return text;
  return text.replace(/\{\{-?([^{}]*?)-?\}\}/g, (_whole, expression: string) => {
    const value = outputOf(expression.trim(), context);
    if (value === null) context.leaveOut(`{{ ${expression.trim().slice(0, 40)} }}`);
    return value ?? "";
  });
}
