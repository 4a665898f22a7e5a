/** The number of bits, of 64, in which two simhashes differ. */
export function simhashDistance(a: string, b: string): number {
  let bits = BigInt(`0x${a}`) ^ BigInt(`0x${b}`);
  let count = 0;
  for (; bits > 0n; bits &= bits - 1n) count += 1;
  return count;
}

/** The hashes of a text. */
export interface TextFingerprint {
  words: number;
  /** 64 bits, in hex. */
  simhash: string;
}

/** Enough for a million words. */
const planes = 20;

/**
 * Adds one vote for each bit that is set; the counters are stored as bit planes across 32-bit
 * numbers.
 */
function vote(counters: Int32Array, from: number, bits: number): void {
  let carry = bits;
  for (let plane = from; carry !== 0 && plane < from + planes; plane++) {
    const known = counters[plane] as number;
    counters[plane] = known ^ carry;
    carry &= known;
  }
}

function majority(counters: Int32Array, from: number, words: number): string {
  let value = 0;
  for (let bit = 31; bit >= 0; bit--) {
    let votes = 0;
    for (let plane = planes - 1; plane >= 0; plane--) {
      votes = votes * 2 + (((counters[from + plane] as number) >>> bit) & 1);
    }
    value = value * 2 + (votes * 2 > words ? 1 : 0);
  }
  return value.toString(16).padStart(8, "0");
}

/** Maps ASCII letters and digits to lower case, everything else to 0. */
const small = new Uint8Array(0x80);
for (const letter of "abcdefghijklmnopqrstuvwxyz0123456789") {
  small[letter.charCodeAt(0)] = letter.charCodeAt(0);
  small[letter.toUpperCase().charCodeAt(0)] = letter.charCodeAt(0);
}

/** Beyond ASCII, everything except spaces and punctuation; close enough for every script. */
const isLetter = (code: number): boolean =>
  code >= 0xc0 && !(code >= 0x2000 && code < 0x2070) && !(code >= 0x3000 && code < 0x3040);

/**
 * Counts the words of a text and reduces them to 64 bits, so that texts with mostly the same words
 * have mostly the same bits (Charikar, Similarity estimation techniques from rounding algorithms,
 * 2002). Each occurrence of a word votes on each bit by the word's hash (based on FNV-1a); ASCII
 * capitals count as lower case.
 */
export function printOf(text: string): TextFingerprint {
  const counters = new Int32Array(planes * 2);
  let words = 0;
  let low = 0;
  let high = 0;
  let length = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 0;
    const letter = code < 0x80 ? (small[code] as number) : isLetter(code) ? code : 0;
    if (letter !== 0) {
      if (length++ === 0) {
        low = 0x811c9dc5;
        high = 0x9e3779b9;
      }
      low = Math.imul(low ^ letter, 0x01000193);
      high = Math.imul(high ^ letter, 0x85ebca6b);
      high ^= high >>> 13;
    } else if (length > 0) {
      vote(counters, 0, low ^ (low >>> 15));
      vote(counters, planes, high ^ (high >>> 16));
      words += 1;
      length = 0;
    }
  }
  return { words, simhash: majority(counters, planes, words) + majority(counters, 0, words) };
}

export function simhashOf(words: readonly string[]): string {
  return printOf(words.join(" ")).simhash;
}
