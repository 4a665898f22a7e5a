import type { RunChange } from "../../../runs/run-change.ts";
import { oddCharacter, findSensitiveText } from "./sensitive-text.ts";

const maxMetadata = 90;

/** Whether a text only says when, by whom, or of which kind a change is. */
function isMetadata(text: string, { kind, actor, at }: RunChange): boolean {
  if (text.length > maxMetadata || !text.includes(at.slice(0, 4))) return false;
  const rest = text
    .split(kind)
    .join(" ")
    .split(actor)
    .join(" ")
    .replace(/\bby\b/gi, " ")
    .replace(/[\d:.,·/+\s-]+/g, " ");
  const words = rest.trim().split(" ").filter(Boolean);
  // A month and a time zone in any language.
  return words.length <= 4 && words.every((word) => /^\p{L}{1,12}$/u.test(word));
}

const tidy = (text: string) => text.replace(/\s+/g, " ").trim();

/** Whether these texts are those of the change's own changelog entry. */
export function isEntryBlock(
  { entry }: { entry: RunChange | null },
  texts: readonly string[],
): boolean {
  if (entry === null || texts.length === 0) return false;
  const own = new Set([entry.title, entry.detail, ...entry.detail.split(/\n+/)].map(tidy));
  return texts.every((text) => own.has(text) || isMetadata(text, entry));
}

const maxLength = { title: 140, detail: 700 } as const;

/** Words about edits, by their stems; see `stemOf`. */
const editing = new Set(
  (
    "add added adjust again align all also alt alternative and answer appear apply are around as asked at attached attribute available be been before below better between both big bottom broken but button by call came can caption card case caught change changed check clarify clarified clean clear closer color colour come consistent contact contrast copy corner correct cover current date describe description detail did different do does done down each edit either element else ending entry every exactly existing expand extra fact few field figure first fit fix fixed follow font footer for form from front full gap go goes grammar has have head header heading hero higher home how icon image improve in include instead into intro is it item its just keep kept label large last later lead least left less letter light like line link list little live long look lower made main make match mention menu missing misspelling misspelt mistake modern month more move name nav navigation neater new next nicer no not nothing note now of off old on once one only or order other out over own padding page paragraph part passage phone photo picture place plain point portrait position project proper punctuation put question quote radius range read readable reader remain remove removed rename reorder replace requested restore reword rewrite right role rounded row same say says section see sentence separate set short shorten should show sit site size slightly small smaller so some space spacing spell spelling start statement step still story style summary swap switch tagline take text than that the their them then there these they thing this three tidy tighten time title to token tone top two type typing typo under unchanged until up update updated use used value version visible visitor was way were what when where which while who whole wide with without word wording work write written year you your" +
    // Common first words of a commit's subject.
    " allow avoid balance brighten bring center condense credit cut darken delete drop emphasize enable encourage enhance enlarge ensure extend feature give greet group harmonize hide highlight increase insert introduce invite let list merge modernize normalize optimize polish prevent present raise reduce refine reflect refresh rephrase restyle revert revise sharpen shrink simplify soften sort split standardize streamline thank trim turn tweak unify welcome widen"
  )
    .split(" ")
    .map(stemOf),
);

/** Enough of a word to treat "shortened" and "shorten" as the same. */
function stemOf(word: string): string {
  const lower = word.toLowerCase();
  return (lower.length > 3 ? lower.replace(/(?:ing|ed|es|er|ly|e|s)$/, "") : lower).slice(0, 5);
}

/** Words that are neither about edits, nor in the task, nor on the pages. */
function unexpectedWord(text: string, known: string): string | null {
  const words = (all: string) => all.match(/[\p{L}\p{N}]+/gu) ?? [];
  const own = new Set(words(known).map(stemOf));
  const odd = words(text).find(
    (word) =>
      !own.has(stemOf(word)) &&
      (/\d/.test(word) || (word.length > 2 && !editing.has(stemOf(word)))),
  );
  return odd ?? null;
}

/**
 * What in the entry's own words needs review; null if nothing does. They may come from the task,
 * from the changed pages (`known`), and from the vocabulary of editing, because the entry is public
 * and should say nothing else.
 */
export function entryProblem({ title, detail }: RunChange, known: string): string | null {
  if (title.length > maxLength.title || detail.length > maxLength.detail) return "a long text";
  const text = `${title}\n${detail}`;
  const { contacts, numbers, services } = findSensitiveText(text);
  const problem = contacts[0] ?? numbers[0] ?? services[0] ?? oddCharacter(text);
  return problem ?? unexpectedWord(text, known);
}
