/** Stands around the number of a piece of code that is put back at the end. */
const mark = "\u0001";
const marked = new RegExp(`${mark}(\\d+)${mark}`, "g");

/** A text whose code is kept aside. */
export interface KeptCode {
  text: string;
  /** Puts the code back. */
  restore(text: string): string;
}

/** Takes a piece of text out of what is converted; gives what stands for it. */
type Keep = (whole: string) => string;

/**
 * Replaces what stands between a beginning that `open` finds, which names it in its first group, and the
 * next end that `endOf` makes of the name. Takes time linear in the text.
 */
function replacePairs(
  text: string,
  { open, endOf }: { open: RegExp; endOf: (name: string) => RegExp },
  replace: (inner: string, given: readonly (string | undefined)[]) => string,
): string {
  const parts: string[] = [];
  /** Ends that don't occur in what is left. */
  const missing = new Set<string>();
  let at = 0;
  const start = new RegExp(open);
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    const name = found[1] ?? "";
    if (missing.has(name)) continue;
    const end = endOf(name);
    end.lastIndex = start.lastIndex;
    const close = end.exec(text);
    if (close === null) {
      missing.add(name);
      continue;
    }
    parts.push(
      text.slice(at, found.index),
      replace(text.slice(start.lastIndex, close.index), found.slice(1)),
    );
    at = end.lastIndex;
    start.lastIndex = at;
  }
  return parts.join("") + text.slice(at);
}

const liquidEnd = (name: string) => new RegExp(`\\{%-?\\s{0,9}end${name}\\s{0,9}-?%\\}`, "g");
const hugoEnd = (name: string) =>
  new RegExp(`\\{\\{[<%]\\s{0,9}/\\s{0,9}${name}\\s{0,9}[>%]\\}\\}`, "g");

/** Where Liquid and Nunjucks leave the text alone. */
const raw = { open: /\{%-?\s{0,9}(raw|verbatim)\s{0,9}-?%\}/g, endOf: liquidEnd };

/** Keeps the marks of templates in what is not to be read as a template. */
function keepRaw(text: string, keep: Keep): string {
  return replacePairs(text, raw, (inner) => inner.replace(/\{[{%#]|[%#}]\}/g, keep));
}

const fence = (language: string, code: string) => `\`\`\`${language}\n${code.trim()}\n\`\`\``;

const liquidHighlight = {
  open: /\{%-?\s{0,9}(highlight)\s{1,9}([\w+-]{0,40})[^%]{0,200}%\}/g,
  endOf: liquidEnd,
};
const hugoHighlight = {
  open: /\{\{[<%]\s{0,9}(highlight|code|mermaid)\b([^{}\n]{0,300}?)[>%]\}\}/g,
  endOf: hugoEnd,
};

/** The language that a shortcode names. */
function languageOf(name: string, given: string): string {
  if (name === "mermaid") return name;
  const named = /\blang(?:uage)?\s{0,9}=\s{0,9}["']?([\w+#-]{1,40})/.exec(given)?.[1];
  return named ?? /^\s{0,9}["']?([\w+#-]{1,40})["']?(?=\s|$)/.exec(given)?.[1] ?? "";
}

/** Code in tags of Liquid or Hugo becomes code in fences. */
function convertHighlights(text: string, keep: Keep): string {
  const ofLiquid = replacePairs(
    text,
    liquidHighlight,
    (code, [, language = ""]) => `\n${keep(fence(language, code))}\n`,
  );
  return replacePairs(ofLiquid, hugoHighlight, (code, [name = "", given = ""]) => {
    // A fence within such a tag was kept before.
    if (code.trim().startsWith(mark)) return `\n${code}\n`;
    if (name === "code" && !code.includes("\n"))
      return keep(`\`${code.trim().replaceAll("`", "")}\``);
    return `\n${keep(fence(languageOf(name, given), code))}\n`;
  });
}

/** Takes code and formulas out of a text, so that nothing in them is converted. */
export function takeCode(source: string): KeptCode {
  const code: string[] = [];
  const restore = (given: string) =>
    given.replace(marked, (_whole, index: string) => code[Number(index)] ?? "");
  const keep: Keep = (whole) => `${mark}${code.push(restore(whole)) - 1}${mark}`;
  let text = keepRaw(source.replaceAll(mark, ""), keep);
  text = text.replace(/^([ \t]*)(`{3,20}|~{3,20})[^\n]*\n[\s\S]*?^[ \t]*\2[ \t]*$/gm, keep);
  text = convertHighlights(text, keep)
    .replace(/(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)/g, keep)
    .replace(/\$\$(?=[^$<]{0,4000}?[\\_^])[^$<]{1,4000}?\$\$/g, keep)
    .replace(
      /(?<![\\$\w])\$(?=[^\s$])[^$<\n]{0,300}?[\\_^][^$<\n]{0,300}?(?<=\S)\$(?![\d$])/g,
      keep,
    );
  return { text, restore };
}
