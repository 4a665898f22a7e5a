import type { PageReviewContext } from "./review-context.ts";

/** Words for comparison without case, quotation marks, and end punctuation. */
export function plainWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}€$£¥%&+#]+/u)
    .filter(Boolean);
}

const startsAt = (list: readonly string[], part: readonly string[], at: number) =>
  part.every((word, i) => list[at + i] === word);

/** The positions at which a sequence of words occurs in others. */
function placesOf(list: readonly string[], part: readonly string[]): number[] {
  if (part.length === 0) return [];
  return list.flatMap((_, at) => (startsAt(list, part, at) ? [at] : []));
}

/** The sentence that contains a position of a text, as indexes of its words. */
function sentencesOf(text: string): { start: number; end: number }[] {
  let start = 0;
  return text.split(/(?<=[.!?…])\s+/u).map((sentence) => {
    const end = start + plainWords(sentence).length;
    const found = { start, end };
    start = end;
    return found;
  });
}

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && startsAt(a, b, 0);

/**
 * Whether a change of a text is exactly what the owner has written as old and new: the old words,
 * or the one sentence with them, are replaced by the new ones. Ignores case and punctuation.
 */
export function isRewrite(
  { scope }: Pick<PageReviewContext, "scope">,
  before: string,
  after: string,
): boolean {
  const [old, young] = [plainWords(before), plainWords(after)];
  return scope.rewrites.some((rewrite) => {
    const [from, to] = [plainWords(rewrite.from), plainWords(rewrite.to)];
    const places = placesOf(old, from);
    const replaced = (start: number, end: number) => [
      ...old.slice(0, start),
      ...to,
      ...old.slice(end),
    ];
    let all = old;
    for (const at of places.toReversed())
      all = [...all.slice(0, at), ...to, ...all.slice(at + from.length)];
    return (
      (places.length > 0 && isSame(all, young)) ||
      places.slice(0, 20).some((at) => {
        if (isSame(replaced(at, at + from.length), young)) return true;
        return sentencesOf(before).some(
          ({ start, end }) =>
            start <= at && at + from.length <= end && isSame(replaced(start, end), young),
        );
      })
    );
  });
}

const maxLabel = 3;

/**
 * Whether a new text is what the instruction dictates, one or several consecutive pieces of it,
 * with nothing around it except what was there before.
 */
export function isDictatedText(
  { scope }: Pick<PageReviewContext, "scope">,
  before: string,
  after: string,
): boolean {
  const [old, young] = [plainWords(before), plainWords(after)];
  if (young.length === 0) return false;
  const pieces = scope.dictatedPieces.map(plainWords);
  const prefix = old.findIndex((word, i) => word !== young[i]);
  const common = prefix < 0 ? Math.min(old.length, young.length) : prefix;
  let suffix = 0;
  while (suffix < old.length && old.at(-1 - suffix) === young.at(-1 - suffix)) suffix += 1;
  // The dictated part has to reach from the text's beginning, or the common words, to its end.
  for (let i = 0; i < pieces.length; i += 1) {
    let run: string[] = [];
    for (let j = i; j < pieces.length && run.length < young.length; j += 1) {
      run = run.concat(pieces[j] ?? []);
      for (const at of placesOf(young, run).slice(0, 20))
        if (at <= common && young.length - at - run.length <= suffix) return true;
    }
  }
  // A label such as a language's name may be a few words of a longer sentence.
  const all = pieces.flat();
  return before === "" && young.length <= maxLabel && placesOf(all, young).length > 0;
}

/** The edit distance of two words, up to `max` + 1. */
export function distance(before: string, after: string, limit: number): number {
  if (Math.abs(before.length - after.length) > limit) return limit + 1;
  let row = Array.from({ length: after.length + 1 }, (_, i) => i);
  for (let i = 1; i <= before.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= after.length; j += 1) {
      const cost = before[i - 1] === after[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost));
    }
    row = next;
  }
  return Math.min(row[after.length] ?? 0, limit + 1);
}

const maxWord = 60;

/**
 * Whether only a misspelled word has changed, everywhere in a text, to one or a few similar ones.
 */
export function isRespelling(misspelt: readonly string[], before: string, after: string): boolean {
  const tokens = (text: string) => text.match(/[\p{L}\p{M}’']+|[^\p{L}\p{M}’'\s]+/gu) ?? [];
  const [old, young] = [tokens(before), tokens(after)];
  const at = old.findIndex((word, i) => word !== young[i]);
  const word = old[at]?.toLowerCase() ?? "";
  if (at < 0 || word.length > maxWord || !misspelt.includes(word)) return false;
  const limit = Math.min(3, Math.ceil(word.length / 2));
  return [1, 2, 3].some((length) => {
    const put = young.slice(at, at + length).map((one) => one.toLowerCase());
    if (put.length < length || distance(word, put.join(""), limit) > limit) return false;
    const corrected = old.flatMap((one) => (one.toLowerCase() === word ? put : [one]));
    return isSame(
      corrected.map((one) => one.toLowerCase()),
      young.map((one) => one.toLowerCase()),
    );
  });
}

const maxLetters = 3;

/** Whether a field's label differs only by a typo. */
export function isTypo(before: string, after: string): boolean {
  const isShort = before.length <= 80 && after.length <= 80 && before !== "" && after !== "";
  const digits = (text: string) => text.replace(/[^\d@:/]/g, "");
  const limit = Math.min(maxLetters, Math.floor(before.length / 4));
  return isShort && digits(before) === digits(after) && distance(before, after, limit) <= limit;
}
