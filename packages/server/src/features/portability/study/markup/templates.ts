import { isMediaName } from "../../folder/media-names.ts";
import { linkMarkdown } from "./elements.ts";
import { frontMatterText, imageMarkdown, type MarkupContext, videoLink } from "./markup-context.ts";
import { findTags, replaceTags, type TemplateTag } from "./template-tags.ts";

interface Arguments {
  named: Map<string, string>;
  /** Those without a name, in their order. */
  plain: string[];
}

/** The arguments of a tag, as Hugo, Liquid and Nunjucks write them. */
function readArguments(text: string, context: MarkupContext): Arguments {
  const named = new Map<string, string>();
  const plain: string[] = [];
  const pattern =
    /(?:([\w-]{1,60})\s{0,9}[=:]\s{0,9})?(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^\s,="']+))/g;
  for (const [, name, double, single, back, bare] of text.matchAll(pattern)) {
    const quoted = double ?? single ?? back;
    const value = quoted ?? frontMatterText(bare ?? "", context) ?? bare ?? "";
    if (name === undefined) plain.push(value);
    else named.set(name.toLowerCase(), value);
  }
  return { named, plain };
}

/** A pattern such as `*.png` names no file. */
const isMedia = (text: string) => !text.includes("*") && isMediaName(text.replace(/[?#].*$/, ""));

const isAddress = (text: string | undefined): text is string =>
  text !== undefined && /^(?:https?:\/\/|mailto:|tel:|\/|#|\.{1,2}\/)\S{1,500}$/.test(text);

/** The Markdown of a tag that shows an image or a video; null for other tags. */
function showTag(name: string, { named, plain }: Arguments, context: MarkupContext): string | null {
  // The image in full, or a page.
  const goal = named.has("src") ? named.get("link") : undefined;
  const sources = [...named].filter(([key]) => goal === undefined || key !== "link");
  const addresses = [...sources.map(([, value]) => value), ...plain].filter(isMedia);
  if (addresses.length > 0) {
    const say = (...names: string[]) =>
      names.map((each) => named.get(each)).find((text) => text !== undefined && !isMedia(text));
    const words = plain.slice(1).find((text) => /\s/.test(text) && !isMedia(text));
    const caption = say("caption", "figcaption", "title", "description") ?? "";
    const alt = say("alt", "imagealt", "img_alt") ?? words ?? caption;
    const [credit, creditAddress] = [named.get("attr"), named.get("attrlink")];
    const isLinked = credit !== undefined && isAddress(creditAddress);
    const under = [caption, isLinked ? "" : credit].filter(Boolean).join(" ");
    const shown = [...new Set(addresses)].map((each) => imageMarkdown(each, alt, under));
    if (isLinked) shown.push(linkMarkdown(creditAddress, credit, context));
    if (isAddress(goal) && !isMedia(goal)) shown.push(linkMarkdown(goal, alt || goal, context));
    return `\n\n${shown.join("\n\n")}\n\n`;
  }
  const id = named.get("id") ?? named.get("videoid") ?? plain.at(-1) ?? "";
  const provider = named.get("provider") ?? named.get("type") ?? "";
  const own = [id, named.get("url") ?? "", named.get("src") ?? ""];
  const links = own.map((each) => videoLink(`${name} ${plain[0] ?? ""} ${provider}`, each));
  const link = links.find((each) => each !== null) ?? null;
  return link === null ? null : `\n\n${link}\n\n`;
}

/** A caption in a shortcode of its own, right after the one that shows the image. */
const separateCaption =
  /(\{\{[<%]\s{0,20}[\w./-]{1,60}[^{}]{0,500}?\bsrc=[^{}]{0,500}?)(\/?\s{0,20}[>%]\}\})((?:\s{0,20}\{\{[<%]\s{0,20}\/[\w./-]{1,60}\s{0,20}[>%]\}\}){0,5}\s{0,20})\{\{[<%]\s{0,20}[\w./-]{0,60}caption\b([^{}]{0,1000}?)\/?\s{0,20}[>%]\}\}/g;

/** A text that a tag has in its attributes. */
function wordsOf({ named }: Arguments): string {
  const [title, caption] = [named.get("title"), named.get("caption") ?? named.get("text")];
  return [title && `**${title.trim()}**`, caption?.trim()].filter(Boolean).join(" ");
}

/** The words and the address of a tag that is a link, such as a button; `inner` stands in the tag. */
function linkOf({ named, plain }: Arguments, inner: string, context: MarkupContext): string | null {
  const address = ["href", "url", "link", "to", "relref"].map((name) => named.get(name));
  const goal = address.find(isAddress) ?? plain.find((each) => /^(?:https?:|mailto:)/.test(each));
  if (!isAddress(goal) || isMedia(goal)) return null;
  const given = ["text", "label", "title", "name", "content"].map((name) => named.get(name));
  const words =
    [inner, ...given, ...plain.filter((each) => each !== goal)]
      .map((each) => each?.trim() ?? "")
      .find((each) => each !== "") ?? "";
  return words === "" || words.length > 300 || /[[\]\n]/.test(words)
    ? null
    : linkMarkdown(goal, words, context);
}

interface Shortcode extends TemplateTag {
  name: string;
  isEnd: boolean;
  rest: string;
}

function readShortcode(tag: TemplateTag): Shortcode {
  const [, slash = "", name = "", rest = ""] =
    /^(\/?)\s*([\w./-]{0,80})([\s\S]*)$/.exec(tag.inner) ?? [];
  return { ...tag, name, isEnd: slash !== "", rest: rest.replace(/\/$/, "") };
}

/** Hugo's shortcodes: what shows an image becomes one, what stands around a text goes. */
function convertShortcodes(source: string, context: MarkupContext): string {
  if (!/\{\{[<%]/.test(source)) return source;
  const text = source
    .replace(separateCaption, (whole, image: string, end: string, between: string, caption) =>
      /\bcaption=/.test(image) || /\bsrc=/.test(String(caption))
        ? whole
        : `${image} ${String(caption)}${end}${between}`,
    )
    // Between two columns.
    .replace(/^[ \t]{0,20}<-{3,10}>[ \t]{0,20}$/gm, "");
  const tags = findTags(text, "shortcode").map(readShortcode);
  const closed = new Set(tags.filter(({ isEnd }) => isEnd).map(({ name }) => name));
  /** A shortcode around words, and its end, are a link together. */
  const linked: Shortcode[] = [];
  for (let index = 0; index < tags.length; index += 1) {
    const [tag, next] = [tags[index], tags[index + 1]];
    if (tag === undefined) break;
    const isPair = next?.isEnd === true && next.name === tag.name && !tag.isEnd;
    if (isPair) {
      const link = linkOf(
        readArguments(tag.rest, context),
        text.slice(tag.end, next.start),
        context,
      );
      if (link !== null) {
        linked.push({ ...tag, end: next.end, inner: link, name: "" });
        index += 1;
        continue;
      }
    }
    linked.push(tag);
  }
  return replaceTags(text, linked, ({ name, isEnd, rest, inner }) => {
    if (isEnd) return "\n";
    if (name === "") return inner;
    const given = readArguments(rest, context);
    const shown = showTag(name, given, context);
    if (shown !== null) return shown;
    const words = closed.has(name) ? null : linkOf(given, "", context);
    const kept = words ?? wordsOf(given);
    // What is between a shortcode and its end stays.
    if (kept === "" && !closed.has(name)) context.leaveOut(`{{< ${name} >}}`);
    return kept === "" ? "\n" : `\n\n${kept}\n\n`;
  });
}

/** The value of `{{ … }}`; null where only the generator knows it. */
function outputOf(expression: string, context: MarkupContext): string | null {
  // A macro of Nunjucks.
  const [, macro, inBrackets] = /^([\w.]{1,80})\(([\s\S]*)\)[^()]*$/.exec(expression) ?? [];
  if (macro !== undefined) {
    const braceless = (inBrackets ?? "").replace(/[{}]/g, " ");
    const shown = showTag(macro, readArguments(braceless, context), context);
    if (shown !== null) return shown;
  }
  const [head = "", ...filters] = expression.split("|").map((part) => part.trim());
  const quoted = /^["'`]([^"'`]*)["'`]$/.exec(head)?.[1];
  if (quoted !== undefined) return quoted;
  // Prefixes before an address, such as {{ site.baseurl | append: "/x.png" }}.
  const appended = filters
    .map((filter) => /^(?:append|prepend):\s*["']([^"']*)["']/.exec(filter)?.[1])
    .filter((each) => each !== undefined);
  if (/^site\.(?:base_?url|url)$/i.test(head)) return appended.join("");
  return frontMatterText(head, context) ?? (appended.length > 0 ? appended.join("") : null);
}

function convertBlock(name: string, rest: string, context: MarkupContext): string {
  if (/^(?:raw|verbatim|end\w+|else|elsif|elif|elseif|when)$/.test(name)) return "";
  const given = readArguments(rest, context);
  const shown = showTag(name, given, context);
  if (shown !== null) return shown;
  if (!/^(?:if|unless|assign|set|case|extends|block|layout)$/.test(name)) {
    const isInclude = /^(?:include|render|include_relative|include_cached)$/.test(name);
    // Its first argument is a file's name.
    const link = linkOf(isInclude ? { ...given, plain: given.plain.slice(1) } : given, "", context);
    if (link !== null) return `\n\n${link}\n\n`;
    const what = isInclude ? ` ${given.plain[0] ?? ""}` : "";
    context.leaveOut(`{% ${name}${what} %}`);
  }
  return "";
}

/** What isn't shown, by how it ends: a text without that is not searched for beginnings. */
const dropped = {
  endcomment: /\{%-?\s*comment\s*-?%\}[\s\S]{0,5000}?\{%-?\s*endcomment\s*-?%\}/g,
  "#}": /\{#[\s\S]{0,2000}?#\}/g,
};
const loops =
  /\{%-?\s*(for|capture|tablerow)\b(?:(?!\{%-?\s*(?:for|capture|tablerow)\b)[\s\S]){0,5000}?\{%-?\s*end\1\s*-?%\}/g;

const conditions = new Set(["if", "unless", "case", "ifchanged"]);

interface Block extends TemplateTag {
  name: string;
  rest: string;
}

/**
 * Of a condition whose value only the generator knows, the first branch stays: both together would
 * contradict each other. What has no end is left alone.
 */
function dropBranches(text: string, blocks: readonly Block[], context: MarkupContext): Block[] {
  const open: { name: string; whens: number; from: Block | null }[] = [];
  const branches: { start: number; end: number }[] = [];
  for (const block of blocks) {
    const top = open.at(-1);
    if (conditions.has(block.name)) open.push({ name: block.name, whens: 0, from: null });
    else if (top === undefined) continue;
    else if (block.name === `end${top.name}`) {
      open.pop();
      const from = top.from;
      if (from !== null) branches.push({ start: from.start, end: block.start });
    } else if (block.name === "when" && top.name === "case") {
      top.whens += 1;
      if (top.whens > 1) top.from ??= block;
    } else if (/^(?:else|elsif|elif|elseif)$/.test(block.name)) top.from ??= block;
  }
  const isDropped = ({ start }: Block) =>
    branches.some((each) => start >= each.start && start < each.end);
  const outermost = branches.filter(
    (each) =>
      !branches.some(
        (other) => other !== each && other.start <= each.start && each.end <= other.end,
      ),
  );
  if (
    outermost.some(({ start, end }) =>
      text
        .slice(start, end)
        .replace(/\{%[^%]*%\}/, "")
        .trim(),
    )
  )
    context.leaveOut("{% else %}");
  const gone = outermost.map(({ start, end }) => ({ start, end, inner: "", name: "", rest: "" }));
  return [...blocks.filter((block) => !isDropped(block)), ...gone].toSorted(
    (one, other) => one.start - other.start,
  );
}

function convertBlocks(text: string, context: MarkupContext): string {
  const blocks = findTags(text, "block").map((tag) => {
    const [, name = "", rest = ""] = /^([\w-]{0,80})([\s\S]*)$/.exec(tag.inner) ?? [];
    return { start: tag.start, end: tag.end, inner: tag.inner, name, rest };
  });
  return replaceTags(text, dropBranches(text, blocks, context), ({ name, rest }) =>
    name === "" ? "" : convertBlock(name, rest, context),
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
  text = convertBlocks(text, context);
  if (context.isMdx) return text;
  return replaceTags(text, findTags(text, "output"), ({ inner }) => {
    const value = outputOf(inner, context);
    if (value === null) context.leaveOut(`{{ ${inner.slice(0, 40)} }}`);
    return value ?? "";
  });
}
