import { addProblem, type PageReviewContext, shorten } from "./review-context.ts";
import { isRewrite, isRespelling, isDictatedText } from "./dictated-text.ts";
import { stemsOf } from "../../scope/derive-scope.ts";
import { oddCharacter, scriptsOf, findSensitiveText } from "./sensitive-text.ts";

/** Maximum characters of a text that isn't a passage. */
export const maxTextLength = { title: 120, description: 320, alt: 300 } as const;

const maxPassage = 3000;
const maxFewWords = 8;

function without(list: readonly string[], taken: readonly string[]): string[] {
  const left = [...taken];
  return list.filter((one) => {
    const at = left.indexOf(one);
    if (at < 0) return true;
    left.splice(at, 1);
    return false;
  });
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** How many words are added or removed. */
export function changedWords(before: string, after: string): number {
  const [old, young] = [wordsOf(before), wordsOf(after)];
  return Math.max(without(old, young).length, without(young, old).length);
}

/**
 * Why a new text needs review; null if it adds no contact data, prices, or confusable letters. What
 * the text contained before, and what the owner has written, is allowed.
 */
export function textProblem(
  before: string,
  after: string,
  { scope, liveText }: Pick<PageReviewContext, "scope" | "liveText">,
): string | null {
  if (after.length > maxPassage && after.length > before.length * 1.5)
    return `a long text, “${shorten(after)}”`;
  const odd = oddCharacter(after, scriptsOf(liveText));
  if (odd !== null && oddCharacter(before, scriptsOf(liveText)) !== odd)
    return `a character that can be mistaken for another (${odd}) in “${shorten(after)}”`;
  const [old, young] = [findSensitiveText(before), findSensitiveText(after)];
  const given = new Set(scope.allowedFacts);
  const contact =
    without(young.contacts, old.contacts)[0] ?? without(old.contacts, young.contacts)[0];
  if (contact !== undefined) return `an address or account, “${shorten(contact)}”`;
  const service = without(young.services, old.services).find((one) => !given.has(one));
  if (service !== undefined) return `a way to contact or pay someone, “${shorten(service)}”`;
  const figure = without(young.numbers, old.numbers).find((one) => !given.has(one));
  if (figure !== undefined)
    return `a price or number that the task doesn’t name, “${shorten(figure)}”`;
  const lost = without(old.numbers, young.numbers);
  const dictated = without(young.numbers, old.numbers).length >= lost.length;
  if (lost[0] !== undefined && after !== "" && !dictated && !lost.every((one) => given.has(one)))
    return `a price or number is gone, “${shorten(lost[0])}”`;
  return null;
}

/**
 * Adds a change of a text to the page's amounts; returns whether it exceeds what the task allows.
 */
export function exceedsAmount(context: PageReviewContext, before: string, after: string): boolean {
  const { amount, scope, liveText } = context;
  const words = changedWords(before, after);
  amount.words += words;
  amount.added += Math.max(0, after.length - before.length);
  amount.removed += Math.max(0, before.length - after.length);
  if (scope.isMinorEdit && (words > maxFewWords || amount.words > 40)) return true;
  if (amount.added > 6000) return true;
  return amount.removed > Math.max(600, liveText.length * 0.6);
}

/** A text for searching quotes: lowercase, with uniform quotation marks and dashes. */
export function normalizeQuotes(text: string): string {
  return text
    .toLowerCase()
    .replace(/[“”„«»"‘’‚‹›'`]/g, "'")
    .replace(/[–—‒]/g, "-")
    .replace(/\s+/g, " ")
    .trim();
}

const bare = (text: string) => normalizeQuotes(text).replace(/^[\s.,;:!?…]+|[\s.,;:!?…]+$/g, "");

/** The quotes that are on the page, and those to be added. */
function quotesOf({ scope, liveText }: PageReviewContext): { live: string[]; dictated: string[] } {
  const page = normalizeQuotes(liveText);
  const quotes = scope.quotes.map(bare).filter((quote) => quote !== "");
  const isLive = (quote: string) => page.includes(quote);
  return { live: quotes.filter(isLive), dictated: quotes.filter((quote) => !isLive(quote)) };
}

const maxUnsaid = 8;
const lettersOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/**
 * Whether a new text contains what the owner has dictated, and little else; true if nothing was
 * dictated.
 */
export function matchesDictation(
  context: PageReviewContext,
  before: string,
  after: string,
): boolean {
  const { dictated } = quotesOf(context);
  const text = normalizeQuotes(after);
  if (dictated.length === 0 || text === "") return true;
  const own = new Set(lettersOf(text));
  // Parts of a quote may be split between elements: "Reads: maps" into a term and its text.
  const holds = (quote: string) => {
    const words = lettersOf(quote);
    return words.length > 0 && words.every((word) => own.has(word));
  };
  if (!dictated.some(holds)) return false;
  const writtenWords = wordsOf(
    `${normalizeQuotes(before)} ${context.scope.quotes.map(normalizeQuotes).join(" ")}`,
  );
  return before === "" || without(wordsOf(text), writtenWords).length <= maxUnsaid;
}

/**
 * Whether a change of a text is the one that the owner has written out: old and new words, a text
 * after a colon or in quotes, or the misspelled word of a finding. True if nothing was written out.
 */
export function isAsWritten(context: PageReviewContext, before: string, after: string): boolean {
  const { scope } = context;
  if (scope.only.misspelledWords !== null)
    return isRespelling(scope.only.misspelledWords, before, after);
  if (scope.rewrites.length > 0) return isRewrite(context, before, after);
  if (!scope.isDictation && quotesOf(context).dictated.length === 0) return true;
  if (after === "") return !scope.isAddition;
  if (!isDictatedText(context, before, after)) return false;
  // An addition leaves the existing words.
  return before === "" || !scope.isAddition || without(wordsOf(before), wordsOf(after)).length <= 1;
}

/**
 * Whether one of these texts contains one of the owner's quotes; true if the page contains none.
 */
export function containsQuote(context: PageReviewContext, texts: readonly string[]): boolean {
  const { live, dictated } = quotesOf(context);
  if (live.length === 0) return true;
  return texts
    .map(normalizeQuotes)
    .some((text) => [...live, ...dictated].some((quote) => text.includes(quote)));
}

/** Whether a quote is from a heading or similar element of the live page. */
export function quotesHeading(context: PageReviewContext): boolean {
  return quotesOf(context).live.some((quote) =>
    context.headings.some((heading) => normalizeQuotes(heading).includes(quote)),
  );
}

/** Whether a changed text, or its part of the page, is what the task's words are about. */
export function matchesKeywords(
  { scope, path }: PageReviewContext,
  texts: readonly string[],
): boolean {
  if (scope.keywords.length === 0) return true;
  const named = new Set(stemsOf(path));
  const wanted = new Set(scope.keywords.filter((stem) => !named.has(stem)));
  return wanted.size === 0 || texts.some((text) => stemsOf(text).some((stem) => wanted.has(stem)));
}

const sentencesOf = (text: string) => text.split(/(?<=[.!?…])\s+/u).filter(Boolean);

/**
 * Whether only those sentences of a passage change that have a word in common with the task, if
 * some do. Other sentences are outside the scope.
 */
export function keepsOtherSentences(
  context: PageReviewContext,
  before: string,
  after: string,
): boolean {
  if (context.scope.keywords.length === 0 || context.scope.allowsSeveralParts) return true;
  const retained = new Set(sentencesOf(after));
  const changed = sentencesOf(before).filter((sentence) => !retained.has(sentence));
  const named = changed.filter((sentence) => matchesKeywords(context, [sentence]));
  if (named.length === 0) return !context.hasNamedSentence;
  return named.length === changed.length;
}

/** With this many words in common, it is clear which sentence a task means. */
const minSharedWords = 3;

/** Whether some sentence of a page's text is named by the task's words. */
export function hasNamedSentence(liveText: string, words: readonly string[]): boolean {
  const wanted = new Set(words);
  return sentencesOf(liveText).some(
    (sentence) => new Set(stemsOf(sentence)).intersection(wanted).size >= minSharedWords,
  );
}

export function judgeText(context: PageReviewContext, before: string, after: string): boolean {
  const problem = textProblem(before, after, context);
  if (problem !== null) {
    addProblem(context, "sensitive", problem);
    return false;
  }
  if (exceedsAmount(context, before, after)) {
    addProblem(
      context,
      "outside",
      `more text than the task is about, “${shorten(after || before)}”`,
    );
    return false;
  }
  return true;
}
