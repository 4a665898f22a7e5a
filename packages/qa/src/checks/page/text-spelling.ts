import { type Check, quote } from "../../check.ts";
import type { Element } from "../../page/dom.ts";
import { englishDictionary } from "../../page/dictionary.ts";
import type { Page } from "../../page/page.ts";
import { type VisibleText, visibleTexts } from "../../page/visible-texts.ts";
import { suggestCorrection } from "../../page/typos.ts";

/** No more than these of one page, and no word that is there more often: it is meant to be. */
const maxFindings = 3;
const often = 3;

interface Word {
  word: string;
  context: string;
  holder: Element;
  shared: boolean;
  count: number;
}

/**
 * Words in lower case between spaces and the signs of a sentence: nothing at them makes them a name,
 * a part of an address or code.
 */
const wordPattern = /(?<=^|[\s("“‘])[a-z]{6,}(?:['’]s)?(?=$|[\s,;:!?)"”’]|\.(?:$|[\s)"”’]))/g;

const isEnglish = ({ lang }: VisibleText): boolean => lang === "en" || /^en(?:-|$)/i.test(lang);

/** The words of a page that may be looked up, each with where it is first. */
function wordsOf(page: Page): Map<string, Word> {
  const found = new Map<string, Word>();
  for (const text of visibleTexts(page)) {
    if (text.quoted || text.name || !isEnglish(text)) continue;
    for (const { 0: match, index } of text.text.matchAll(wordPattern)) {
      const word = match.replace(/['’]s$/, "");
      const known = found.get(word);
      if (known) known.count += 1;
      else {
        const context = text.text.slice(Math.max(0, index - 30), index + word.length + 30);
        found.set(word, { word, context, holder: text.parent, shared: text.shared, count: 1 });
      }
    }
  }
  return found;
}

/** Words that a page also has with a capital are names; those of its title and its address too. */
function namesOf(page: Page): Set<string> {
  const names = new Set(page.path.toLowerCase().split(/[^\p{L}]+/u));
  for (const { text } of visibleTexts(page)) {
    for (const [word] of text.matchAll(/(?<=[^.!?:]\s)\p{Lu}[\p{L}]+/gu))
      names.add(word.toLowerCase());
  }
  return names;
}

/** A slip of the pen in an English text: a word that is none, and nearly one. */
export const textSpelling: Check = {
  id: "text.spelling",
  category: "content",
  severity: "notice",
  // Whether a word is meant so only its writer knows: no reason to hold an edit up.
  skipForBuilds: true,
  *run(page) {
    const words = wordsOf(page);
    if (words.size === 0) return;
    const dictionary = englishDictionary();
    let names: Set<string> | undefined;
    let left = maxFindings;
    for (const { word, context, holder, shared, count } of words.values()) {
      if (count >= often || left === 0) continue;
      const suggestion = suggestCorrection(word, dictionary);
      if (suggestion === null || (names ??= namesOf(page)).has(word)) continue;
      left -= 1;
      yield {
        target: word,
        at: holder,
        shared,
        confidence: "review",
        evidence: { word, context: context.replace(/\s+/g, " ").trim(), count, suggestion },
        message: `${quote(word)} may be misspelled. Did you mean ${quote(suggestion)}?`,
      };
    }
  },
};
