import { type Check, locate, type PageReport, quote } from "../../check.ts";
import type { NeedsScript } from "../../finding.ts";
import {
  attribute,
  closest,
  type Element,
  elementsBelow,
  isElement,
  isText,
  parentOf,
  textOf,
} from "../../page/dom.ts";
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

/** Words that can also be what the text is about, such as the heading of a page about them. */
const ambiguous = /^(?:(?:this is )?(?:an )?example text|placeholder)[.!…]?$/i;

/** Languages in which “todo” means “all”. */
const saysAll = /^(?:es|pt|gl|ast|an|ext|mwl|spa|por)$/;

/** How sure it is that `TODO` isn't the Spanish word in a text in capitals, such as “VER TODO”. */
function judgeTodo(text: string, lang: string): Judgment {
  const inCapitals = text === text.toUpperCase();
  if (saysAll.test(lang.toLowerCase().split("-")[0] ?? "")) return inCapitals ? "meant" : "open";
  const isAlone = text.trim() === "TODO";
  if (isAlone || !inCapitals) return "certain";
  return lang === "" ? "meant" : "open";
}

/** How sure it is that `XXX` isn't the number 30, as in “Chapter XXX”. */
function judgeNumber(text: string, parent: Element): Judgment {
  const trimmed = text.trim();
  // An emphasized word may be the end of a name.
  if (trimmed === "XXX") return /^(?:b|i|em|strong|span)$/.test(parent.name) ? "open" : "certain";
  if (/[:=]\s*XXX$/.test(trimmed)) return "certain";
  return trimmed.startsWith("XXX") ? "open" : "meant";
}

type Judgment = "certain" | "open" | "meant";

/** Whether a person has to judge a word, because it may be meant as it is, or it surely is. */
function judge(word: string, text: string, parent: Element, lang: string): Judgment {
  if (word === "TODO") return judgeTodo(text, lang);
  if (word === "XXX") return judgeNumber(text, parent);
  return ambiguous.test(word) ? "open" : "certain";
}

const certaintyOf = (judgment: Judgment): Pick<PageReport, "severity" | "confidence"> =>
  judgment === "open" ? { severity: "notice", confidence: "review" } : {};

const langOf = (element: Element): string => {
  const stated = closest(element, (at) => attribute(at, "lang") !== undefined);
  return (stated && attribute(stated, "lang")?.trim()) ?? "";
};

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
/** How many elements of a table are looked at. */
const maxCells = 400;

/** Whether an element contains nothing but a value of a programming language. */
function isValue({ children }: Element): boolean {
  const [only, other] = children;
  return only !== undefined && other === undefined && isText(only)
    ? only.data.length <= 40 && literal.test(only.data.trim())
    : false;
}

/** What a column of values is called. */
const ofValues = /\b(?:defaults?|values?|initial|returns?|types?)\b/i;

/** Whether a cell is in a column of values: by its name, or by the other cells. */
function isInColumnOfValues(cell: Element): boolean {
  const cellsOf = (row: Element | null) =>
    (row?.children ?? []).filter(isElement).filter(({ name }) => /^t[dh]$/.test(name));
  const row = parentOf(cell);
  const table = closest(cell, ({ name }) => name === "table");
  if (row?.name !== "tr" || table === undefined) return false;
  const column = cellsOf(row).indexOf(cell);
  for (const other of elementsBelow(table).take(maxCells)) {
    if (other.name !== "tr" || other === row) continue;
    const same = cellsOf(other)[column];
    if (
      same !== undefined &&
      (isValue(same) || (same.name === "th" && ofValues.test(textOf(same))))
    )
      return true;
  }
  return false;
}

/** Whether a text is one of the values that a list or a table enumerates. */
function isListedValue(text: string, parent: Element): boolean {
  if (!nothing.test(text.trim()) || !listed.test(parent.name)) return false;
  if (isInColumnOfValues(parent)) return true;
  return (["prev", "next"] as const).some((side) => {
    let seen = 0;
    for (let at = parent[side]; at && seen < maxNeighbors; at = at[side]) {
      seen++;
      if (isElement(at) && at.name === parent.name && isValue(at)) return true;
    }
    return false;
  });
}

/** A heading names what the page is about. */
const isHeading = (element: Element): boolean =>
  closest(element, ({ name }) => /^h[1-6]$/.test(name)) !== undefined;

/** Reports text that was meant to be replaced. */
export const textPlaceholder: Check = {
  id: "text.placeholder",
  category: "content",
  severity: "warning",
  byComponent: true,
  byElement: true,
  *run(page, site) {
    for (const { text, parent, quoted, lang } of visibleTexts(page)) {
      const word = quoted ? undefined : wordIn(text);
      if (word === undefined || isListedValue(text, parent)) continue;
      if (ambiguous.test(word) && isHeading(parent)) continue;
      const judgment = judge(word, text, parent, lang);
      if (judgment === "meant") continue;
      yield {
        target: word,
        at: parent,
        evidence: { match: word, selector: locate(parent) },
        needsScript: needsScriptOf(page, site, word),
        ...certaintyOf(judgment),
        message: `${quote(text)} looks like a placeholder.`,
      };
    }
    for (const image of page.all("img")) {
      const alt = attribute(image, "alt") ?? "";
      const word = wordIn(alt);
      if (word === undefined) continue;
      const judgment = judge(word, alt, image, langOf(image));
      if (judgment === "meant") continue;
      yield {
        target: word,
        at: image,
        evidence: { match: word, selector: locate(image) },
        needsScript: needsScriptOf(page, site, word),
        ...certaintyOf(judgment),
        message: `The alt text ${quote(alt)} looks like a placeholder.`,
      };
    }
  },
};
