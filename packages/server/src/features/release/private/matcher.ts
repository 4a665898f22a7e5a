import { randomInt } from "node:crypto";
import type { PrivateText } from "../../../kit/private-text.ts";
import { decodeEscapes, type NormalizedText, normalizeText } from "./normalized-text.ts";
import { shortTexts, windowLength } from "./short-texts.ts";

/** Maximum letters of private texts to compare: about 20,000 long pages. */
const maxLetters = 32 * 1024 * 1024;
const prefixLength = 4;

type Source = Pick<PrivateText, "record" | "field">;

/** Finds private texts in other texts, in linear time. */
export interface Matcher {
  /** Adds a text; false if there is no room for it. Not after `find`. */
  addText(text: PrivateText): boolean;
  /**
   * Calls back with the number of each pattern that occurs and isn't excluded, as often as it
   * occurs.
   */
  find(text: NormalizedText, onHit: (pattern: number) => void): void;
  /** Excludes a pattern from now on. */
  exclude(pattern: number): void;
  /** A pattern's record, and its letters. */
  describe(pattern: number): Source & { letters: string };
}

/** The letters of all private texts, concatenated. */
interface Pool {
  units: Uint16Array;
  length: number;
}

function append(pool: Pool, units: Uint16Array): number {
  const start = pool.length;
  const length = start + units.length;
  if (length > pool.units.length) {
    const grown = new Uint16Array(Math.max(length, pool.units.length * 2, 4096));
    grown.set(pool.units.subarray(0, start));
    pool.units = grown;
  }
  pool.units.set(units, start);
  pool.length = length;
  return start;
}

function isSame(a: Uint16Array, at: number, b: Uint16Array, bAt: number, length: number): boolean {
  for (let n = 0; n < length; n += 1) if (a[at + n] !== b[bAt + n]) return false;
  return true;
}

function textAt(units: Uint16Array, start: number, length: number): string {
  return String.fromCharCode(...units.subarray(start, start + length));
}

/** A rolling polynomial hash with a random base, so that nobody can construct collisions. */
function makeHash(length: number) {
  const base = randomInt(2 ** 20, 2 ** 30) | 1;
  let last = 1;
  for (let n = 1; n < length; n += 1) last = Math.imul(last, base);
  return {
    of(units: Uint16Array, at: number): number {
      let hash = 0;
      for (let n = 0; n < length; n += 1) hash = (Math.imul(hash, base) + (units[at + n] ?? 0)) | 0;
      return hash;
    },
    roll(hash: number, out: number, into: number): number {
      return (Math.imul((hash - Math.imul(out, last)) | 0, base) + into) | 0;
    },
  };
}

function spread(hash: number): number {
  return Math.imul(hash ^ (hash >>> 16), 0x45d9f3b) >>> 0;
}

interface Windows {
  /** Where each begins in the pool. */
  positions: number[];
  sources: number[];
}

/** An open-addressed table from hashes to windows, each text once. */
function makeTable({ positions }: Windows, units: Uint16Array, hash: ReturnType<typeof makeHash>) {
  let size = 1024;
  while (size < positions.length * 2) size *= 2;
  const slots = new Int32Array(size).fill(-1);
  const hashes = new Int32Array(positions.length);
  const seek = (wanted: number, text: Uint16Array, at: number): number => {
    let slot = spread(wanted) & (size - 1);
    for (let found = slots[slot] ?? -1; found >= 0; found = slots[slot] ?? -1) {
      const same = hashes[found] === wanted;
      if (same && isSame(units, positions[found] ?? 0, text, at, windowLength)) return found;
      slot = (slot + 1) & (size - 1);
    }
    return -1 - slot;
  };
  for (const [index, position] of positions.entries()) {
    const value = hash.of(units, position);
    const found = seek(value, units, position);
    if (found >= 0) continue;
    hashes[index] = value;
    slots[-1 - found] = index;
  }
  return seek;
}

/** Short texts by their letters; by the hash of their first letters, their lengths. */
interface Shorts {
  numbers: Map<string, number>;
  lengths: Map<number, Set<number>>;
  /** All hashes, so that only a few candidate positions are checked. */
  hashes: Set<number>;
  sources: number[];
  texts: string[];
}

/** Hashes of all prefixes of a text, from which the hash of any substring follows in one step. */
function makePrefixHashes(units: Uint16Array) {
  const sums = new Int32Array(units.length + 1);
  for (const [at, unit] of units.entries()) {
    sums[at + 1] = (Math.imul(sums[at] ?? 0, shortBase) + unit) | 0;
  }
  return (start: number, length: number): number =>
    ((sums[start + length] ?? 0) - Math.imul(sums[start] ?? 0, powerOf(length))) | 0;
}

const shortBase = randomInt(2 ** 20, 2 ** 30) | 1;
const powers = [1];

function powerOf(length: number): number {
  for (let n = powers.length; n <= length; n += 1) {
    powers.push(Math.imul(powers[n - 1] ?? 1, shortBase));
  }
  return powers[length] ?? 1;
}

function addShort(shorts: Shorts, text: string, source: number): void {
  const { units } = normalizeText(text);
  if (units.length < prefixLength) return;
  const letters = textAt(units, 0, units.length);
  if (shorts.numbers.has(letters)) return;
  shorts.numbers.set(letters, shorts.texts.length);
  shorts.texts.push(letters);
  shorts.sources.push(source);
  const hashOf = makePrefixHashes(units);
  shorts.hashes.add(hashOf(0, units.length));
  const prefix = hashOf(0, prefixLength);
  const lengths = shorts.lengths.get(prefix) ?? new Set();
  shorts.lengths.set(prefix, lengths.add(letters.length));
}

function findShorts(
  shorts: Shorts,
  { units, starts }: NormalizedText,
  onFound: (n: number) => void,
) {
  if (shorts.texts.length === 0) return;
  const hashOf = makePrefixHashes(units);
  for (let at = 0; at + prefixLength <= units.length; at += 1) {
    if (starts[at] !== 1) continue;
    const lengths = shorts.lengths.get(hashOf(at, prefixLength));
    if (lengths === undefined) continue;
    for (const length of lengths) {
      const end = at + length;
      if (end > units.length || (end < units.length && starts[end] !== 1)) continue;
      if (!shorts.hashes.has(hashOf(at, length))) continue;
      const number = shorts.numbers.get(textAt(units, at, length));
      if (number !== undefined) onFound(number);
    }
  }
}

function findWindows(
  seek: ReturnType<typeof makeTable>,
  hash: ReturnType<typeof makeHash>,
  units: Uint16Array,
  onFound: (n: number) => void,
): void {
  if (units.length < windowLength) return;
  let value = hash.of(units, 0);
  for (let at = 0; ; at += 1) {
    const found = seek(value, units, at);
    if (found >= 0) onFound(found);
    if (at + windowLength >= units.length) return;
    value = hash.roll(value, units[at] ?? 0, units[at + windowLength] ?? 0);
  }
}

/** One window begins at each word, and one ends with the text. */
function addWindows(
  windows: Windows,
  { units, starts }: NormalizedText,
  at: number,
  source: number,
) {
  const last = units.length - windowLength;
  for (let n = 0; n <= last; n += 1) {
    if (starts[n] !== 1 && n !== last) continue;
    windows.positions.push(at + n);
    windows.sources.push(source);
  }
}

/** Creates an empty matcher with at most `letterLimit` letters, by default 32 Mi. */
export function makeMatcher(letterLimit = maxLetters): Matcher {
  const pool: Pool = { units: new Uint16Array(0), length: 0 };
  const windows: Windows = { positions: [], sources: [] };
  const shorts: Shorts = {
    numbers: new Map(),
    lengths: new Map(),
    hashes: new Set(),
    sources: [],
    texts: [],
  };
  const sources: Source[] = [];
  const muted = new Set<number>();
  const hash = makeHash(windowLength);
  let seek: ReturnType<typeof makeTable> | undefined;
  return {
    addText(given) {
      const source = sources.push({ record: given.record, field: given.field }) - 1;
      const text = decodeEscapes(given.text);
      const letters = normalizeText(text);
      if (pool.length + letters.units.length > letterLimit) return false;
      if (letters.units.length >= windowLength) {
        addWindows(windows, letters, append(pool, letters.units), source);
      }
      for (const short of shortTexts({ ...given, text })) addShort(shorts, short, source);
      return true;
    },
    find(text, onHit) {
      seek ??= makeTable(windows, pool.units, hash);
      const hit = (pattern: number) => {
        if (!muted.has(pattern)) onHit(pattern);
      };
      findWindows(seek, hash, text.units, hit);
      const first = windows.positions.length;
      findShorts(shorts, text, (number) => hit(first + number));
    },
    exclude: (pattern) => void muted.add(pattern),
    describe(pattern) {
      const short = pattern - windows.positions.length;
      const at = short >= 0 ? shorts.sources[short] : windows.sources[pattern];
      const source = sources[at ?? -1];
      if (source === undefined) throw new Error("There is no such pattern.");
      const position = windows.positions[pattern] ?? 0;
      const letters =
        short >= 0 ? (shorts.texts[short] ?? "") : textAt(pool.units, position, windowLength);
      return { ...source, letters };
    },
  };
}
