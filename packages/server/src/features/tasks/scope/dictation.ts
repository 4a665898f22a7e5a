/** Words that the owner wants to replace, and their replacement. */
export interface Rewrite {
  from: string;
  to: string;
}

const quote = /["“”„«»]([^"“”„«»]{1,500})["“”„«»]|[‘‚‹]([^‘’‚‹›\n]{2,500})[’›](?![\p{L}\p{N}])/gu;
const forward =
  /^\s*(?:→|⇒|->|=>)\s*$|\b(?:should|must|shall|to|with|into|by|as|becomes?|reads?)\b/iu;
const backward = /\b(?:instead of|rather than|in place of)\b/iu;
const renamed =
  /\brename\s+(?:the\s+(?:heading|headline|section|title)\s+)?([^.;:,"“”\n]{2,80}?)\s+(?:to|into|as)\s+([^.;:,"“”\n]{2,80})/giu;
const maxCounts = { rewrites: 20, pieces: 60, piece: 500, gap: 60 } as const;

/**
 * Pairs of old and new words in an instruction: “old” → “new”, “old” should be “new”, “new” instead
 * of “old”, rename old to new. Linear in the text.
 */
export function rewritesIn(text: string): Rewrite[] {
  const quotes = [...text.matchAll(quote)].map((match) => ({
    words: (match[1] ?? match[2] ?? "").replace(/\s+/g, " ").trim(),
    start: match.index,
    end: match.index + match[0].length,
  }));
  const found: Rewrite[] = [];
  for (const [i, one] of quotes.entries()) {
    const next = quotes[i + 1];
    if (!next || next.start - one.end > maxCounts.gap) continue;
    const between = text.slice(one.end, next.start);
    if (/[.;!?]\s/.test(between)) continue;
    if (backward.test(between)) found.push({ from: next.words, to: one.words });
    else if (forward.test(between)) found.push({ from: one.words, to: next.words });
  }
  for (const [, from = "", to = ""] of text.replace(quote, "").matchAll(renamed))
    found.push({ from: from.trim(), to: to.trim() });
  return found.slice(0, maxCounts.rewrites);
}

/**
 * The instruction split at punctuation: what it dictates is one piece, or several consecutive ones.
 */
export function piecesOf(text: string): string[] {
  return text
    .split(/[.,;:!?…"“”„«»()/\n]+/u)
    .map((piece) => piece.replace(/\s+/g, " ").trim().slice(0, maxCounts.piece))
    .filter(Boolean)
    .slice(0, maxCounts.pieces);
}

/** Whether a text follows a colon: "Add to the story: I teach …". */
export function isDictation(text: string): boolean {
  return /:\s+(?=[\p{Lu}\p{N}€$£©])/u.test(text.replace(quote, " "));
}
