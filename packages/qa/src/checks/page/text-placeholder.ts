import { type Check, locate, quote } from "../../check.ts";
import type { NeedsScript } from "../../finding.ts";
import { attribute, type Element, isElement, isText } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { visibleTexts } from "../../page/visible-texts.ts";
import type { Site } from "../../site/site.ts";
import { canBeFilled } from "../needs-script.ts";

/** Placeholder words. Each must be rare in real text. */
const placeholders: readonly RegExp[] = [
  /\blorem ipsum\b/i,
  /\bdolor sit amet\b/i,
  // Inside a sentence, the text is about it.
  /^\s*(?:TODO|FIXME|TBD|XXX)(?=\s|$)(?!\s+(?:lists?|tests?|comments?|items?|apps?|files?|flag)\b)|(?:^|\s)(?:TODO|FIXME|TBD|XXX)(?::(?=\s|$)|$)/,
  /\{\{\s*[\w.]+\s*\}\}/,
  /\$\{[\w.]+\}/,
  /\[object Object\]/,
  /^\s*(?:undefined|null|NaN|Invalid Date)\s*$/,
  /\b(?:Invalid Date|undefined undefined)\b/,
  /^\s*(?:(?:this is )?(?:an )?example text|placeholder)[.!…]?\s*$/i,
  /\b(?:your (?:text|title|name|headline|company name) here|insert (?:text|title|name) here|placeholder text|sample text here|click here to edit|(?:replace|edit) this text)\b/i,
];
/** One expression for all: most texts match none. */
const any = new RegExp(
  placeholders.map(({ source, flags }) => (flags === "" ? source : `(?i:${source})`)).join("|"),
);

/**
 * Text in quotation marks: a sentence is about it, such as a changelog entry about what was
 * replaced.
 */
const spokenOf =
  /(?<=[\p{L},:]\s)(?:“[^“”]*(?:”|$)|„[^„“”]*(?:[“”]|$)|«[^«»]*(?:»|$)|"[^"]*(?:"|$))/gu;

/** What a template script leaves before it runs, or when it fails; a browser shows which. */
const leftover = /^(?:\{\{|\$\{|\[object|undefined|null|NaN|Invalid Date)/;

function needsScriptOf(page: Page, site: Site, word: string): NeedsScript | undefined {
  if (!leftover.test(word) || !canBeFilled(page, site)) return undefined;
  const what = word.replace(/^(undefined) undefined$/, "$1").replace(/\s+/g, " ");
  return { page: page.path, kind: "text", what };
}

/** A text that begins with a quotation and goes on is about it, too. */
const spokenFirst = /^\s*(?:“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|"[^"]*")(?=\s+\p{L}+(?:\s+\p{L}+){2})/u;

function wordIn(text: string): string | undefined {
  if (!any.test(text)) return undefined;
  return any.exec(text.replace(spokenOf, "").replace(spokenFirst, ""))?.[0].trim();
}

/** What programming languages call nothing, and values that stand beside it in a list. */
const nothing = /^(?:undefined|null|NaN)$/;
const literal =
  /^(?:undefined|null|NaN|true|false|none|auto|nil|void|default|[+-]?\d[\d.]*|["'`].*["'`])$/;
const listed = /^(?:li|dt|dd|td|th|option)$/;

/** How many nodes on each side are looked at, white space included. */
const maxNeighbors = 8;

/** Whether an element contains nothing but a value of a programming language. */
function isValue({ children }: Element): boolean {
  const [only, other] = children;
  return only !== undefined && other === undefined && isText(only)
    ? only.data.length <= 40 && literal.test(only.data.trim())
    : false;
}

/** Whether a text is one of the values that a list or a row enumerates. */
function isListedValue(text: string, parent: Element): boolean {
  if (!nothing.test(text.trim()) || !listed.test(parent.name)) return false;
  return (["prev", "next"] as const).some((side) => {
    let seen = 0;
    for (let at = parent[side]; at && seen < maxNeighbors; at = at[side]) {
      seen++;
      if (isElement(at) && at.name === parent.name && isValue(at)) return true;
    }
    return false;
  });
}

/** Reports text that was meant to be replaced. */
export const textPlaceholder: Check = {
  id: "text.placeholder",
  category: "content",
  severity: "warning",
  byElement: true,
  *run(page, site) {
    for (const { text, parent, quoted } of visibleTexts(page)) {
      const word = quoted ? undefined : wordIn(text);
      if (word === undefined || isListedValue(text, parent)) continue;
      yield {
        target: word,
        at: parent,
        evidence: { match: word, selector: locate(parent) },
        needsScript: needsScriptOf(page, site, word),
        message: `${quote(text)} looks like a placeholder.`,
      };
    }
    for (const image of page.all("img")) {
      const alt = attribute(image, "alt") ?? "";
      const word = wordIn(alt);
      if (word === undefined) continue;
      yield {
        target: word,
        at: image,
        evidence: { match: word, selector: locate(image) },
        needsScript: needsScriptOf(page, site, word),
        message: `The alternative text ${quote(alt)} looks like a placeholder.`,
      };
    }
  },
};
