import { type Check, quote } from "../../check.ts";
import type { Element } from "../../page/dom.ts";
import { englishDictionary } from "../../page/dictionary.ts";
import type { Page } from "../../page/page.ts";
import { type VisibleText, visibleTexts } from "../../page/visible-texts.ts";
import { suggestCorrection } from "../../page/typos.ts";

/** The maximum for each page. A word that occurs more often than this is intentional. */
const maxFindings = 3;
const often = 3;

interface Word {
  word: string;
  context: string;
  holder: Element;
  count: number;
}

/**
 * Lower-case words between spaces and punctuation: nothing around them suggests a name, an address,
 * or code.
 */
const wordPattern = /(?<=^|[\s("“‘])[a-z]{6,}(?:['’]s)?(?=$|[\s,;:!?)"”’]|\.(?:$|[\s)"”’]))/g;

/** Placeholder text is no English, and reported as what it is. */
const blindText = /\b(?:lorem ipsum|dolor sit amet|consectetur)\b/i;

const isEnglish = ({ lang }: VisibleText): boolean => lang === "en" || /^en(?:-|$)/i.test(lang);

/** The words of a page to look up, each with its first place. */
function wordsOf(page: Page): Map<string, Word> {
  const found = new Map<string, Word>();
  for (const text of visibleTexts(page)) {
    if (text.quoted || text.name || !isEnglish(text) || blindText.test(text.text)) continue;
    for (const { 0: match, index } of text.text.matchAll(wordPattern)) {
      const word = match.replace(/['’]s$/, "");
      const known = found.get(word);
      if (known) known.count += 1;
      else {
        const context = text.text.slice(Math.max(0, index - 30), index + word.length + 30);
        found.set(word, { word, context, holder: text.parent, count: 1 });
      }
    }
  }
  return found;
}

/** Words that a page also capitalizes are names, and so are those of its title and address. */
function namesOf(page: Page): Set<string> {
  const names = new Set(page.path.toLowerCase().split(/[^\p{L}]+/u));
  for (const { text } of visibleTexts(page)) {
    for (const [word] of text.matchAll(/(?<=[^.!?:]\s)\p{Lu}[\p{L}]+/gu))
      names.add(word.toLowerCase());
  }
  return names;
}

/**
 * Reports a probable typing error in an English text: an unknown word that is similar to a known
 * one.
 */
export const textSpelling: Check = {
  id: "text.spelling",
  category: "content",
  severity: "notice",
  // Only its author knows whether a word is intended, so it never blocks an edit.
  skipForBuilds: true,
  *run(page) {
    const words = wordsOf(page);
    if (words.size === 0) return;
    const dictionary = englishDictionary();
    let names: Set<string> | undefined;
    let left = maxFindings;
    for (const { word, context, holder, count } of words.values()) {
      if (count >= often || left === 0) continue;
      const suggestion = suggestCorrection(word, dictionary);
      if (suggestion === null || (names ??= namesOf(page)).has(word)) continue;
      left -= 1;
      yield {
        target: word,
        at: holder,
        confidence: "review",
        evidence: { word, context: context.replace(/\s+/g, " ").trim(), count, suggestion },
        message: `${quote(word)} may be misspelled. Did you mean ${quote(suggestion)}?`,
      };
    }
  },
};
