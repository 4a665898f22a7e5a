/**
 * A short page with a very large tree: every paragraph repeats all the formatting elements that the
 * first one leaves open, so there are `size` times `size` elements.
 */
export function repeatingPage(size: number): string {
  const open = Array.from({ length: size }, (_, i) => `<b a${i}>`).join("");
  return `<p>${open}</p>${"<p>x</p>".repeat(size)}`;
}
