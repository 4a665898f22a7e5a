/** How many bits two simhashes differ in, of 64. */
export function simhashDistance(a: string, b: string): number {
  let bits = BigInt(`0x${a}`) ^ BigInt(`0x${b}`);
  let count = 0;
  for (; bits > 0n; bits &= bits - 1n) count += 1;
  return count;
}

function add(sums: Int32Array, from: number, hash: number, weight: number): void {
  for (let bit = 0; bit < 32; bit++) {
    sums[from + bit] = (sums[from + bit] as number) + ((hash >>> bit) & 1 ? weight : -weight);
  }
}

const hex = (sums: Int32Array, from: number): string => {
  let value = 0;
  for (let bit = 31; bit >= 0; bit--)
    value = value * 2 + ((sums[from + bit] as number) > 0 ? 1 : 0);
  return value.toString(16).padStart(8, "0");
};

/**
 * 64 bits over words, in hex: texts that share most of their words share most of the bits
 * (Charikar, Similarity estimation techniques from rounding algorithms, 2002). Each word votes on
 * each bit by its own hash (FNV-1a), as often as it is there.
 */
export function simhashOf(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sums = new Int32Array(64);
  for (const [word, weight] of counts) {
    let low = 0x811c9dc5;
    let high = 0x9e3779b9;
    for (let i = 0; i < word.length; i++) {
      const code = word.charCodeAt(i);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x85ebca6b);
      high ^= high >>> 13;
    }
    add(sums, 0, low ^ (low >>> 15), weight);
    add(sums, 32, high ^ (high >>> 16), weight);
  }
  return hex(sums, 32) + hex(sums, 0);
}
