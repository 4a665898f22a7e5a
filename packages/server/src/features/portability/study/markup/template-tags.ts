/** A tag of Liquid, Nunjucks, or Hugo as it stands in a text. */
export interface TemplateTag {
  /** Between its marks, without spaces around it and without the `-` that trims. */
  inner: string;
  start: number;
  end: number;
}

/** How a kind of tag begins and ends. */
interface TagKind {
  /** Global. */
  open: RegExp;
  close(opening: string): string;
}

export const tagKinds = {
  /** `{{< name … >}}` and `{{% name … %}}` */
  shortcode: { open: /\{\{[<%]/g, close: (opening) => (opening.endsWith("<") ? ">}}" : "%}}") },
  /** `{% name … %}` */
  block: { open: /(?<!\{)\{%/g, close: () => "%}" },
  /** `{{ … }}` */
  output: { open: /\{\{(?![<%])/g, close: () => "}}" },
} as const satisfies Record<string, TagKind>;

/** No tag of anybody's is longer, in characters. */
const maxTagLength = 4000;
/** How many beginnings without an end are looked at. */
const maxUnclosed = 100;

/** Where a text in quotation marks ends on its line; `start` for an apostrophe. */
function endOfText(text: string, start: number, limit: number): number {
  if (/\w/.test(text[start - 1] ?? "")) return start;
  const mark = text[start] ?? "";
  for (let at = start + 1; at < limit; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === mark) return at;
    else if (character === "\n" && mark !== "`") break;
  }
  return start;
}

/** Where `close` stands outside texts and pairs of braces; -1 where it doesn't. */
function findClose(text: string, start: number, close: string): number {
  const limit = Math.min(text.length, start + maxTagLength);
  let depth = 0;
  let first = -1;
  for (let at = start; at < limit; at += 1) {
    const character = text[at] ?? "";
    if (text.startsWith(close, at)) {
      if (depth === 0 || close !== "}}") return at;
      if (first < 0) first = at;
    }
    if (character === '"' || character === "'" || character === "`") {
      at = endOfText(text, at, limit);
    } else if (character === "{") depth += 1;
    else if (character === "}" && depth > 0) depth -= 1;
  }
  return first;
}

/** The tags of a kind, in their order. Takes time linear in the text. */
export function findTags(text: string, kind: keyof typeof tagKinds): TemplateTag[] {
  const { open, close } = tagKinds[kind];
  const tags: TemplateTag[] = [];
  const pattern = new RegExp(open);
  for (let unclosed = 0; unclosed < maxUnclosed;) {
    const found = pattern.exec(text);
    if (found === null) break;
    const from = found.index + found[0].length;
    const mark = close(found[0]);
    const at = findClose(text, from, mark);
    if (at < 0) {
      unclosed += 1;
      continue;
    }
    const inner = text.slice(from, at).replace(/^-/, "").replace(/-$/, "").trim();
    pattern.lastIndex = at + mark.length;
    tags.push({ inner, start: found.index, end: pattern.lastIndex });
  }
  return tags;
}

/** Replaces tags, which are in their order and don't overlap. */
export function replaceTags<T extends Pick<TemplateTag, "start" | "end">>(
  text: string,
  tags: readonly T[],
  replace: (tag: T, index: number) => string,
): string {
  const parts: string[] = [];
  let at = 0;
  for (const [index, tag] of tags.entries()) {
    parts.push(text.slice(at, tag.start), replace(tag, index));
    at = tag.end;
  }
  return parts.join("") + text.slice(at);
}
