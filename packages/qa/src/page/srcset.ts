/** One candidate of a srcset. */
export interface Candidate {
  address: string;
  /** `480w`, `2x` or empty. */
  descriptor: string;
}

/** Splits a srcset (HTML standard, 4.8.4.2.1): an address may contain commas, but not end with one. */
export function candidatesOf(value: string): Candidate[] {
  const found: Candidate[] = [];
  for (const [, address = "", descriptor = ""] of value
    .slice(0, 20_000)
    .matchAll(/(?:^|,)\s*([^\s,]\S*[^\s,]|[^\s,])(\s+[^,]*)?/g)) {
    found.push({ address, descriptor: descriptor.trim() });
  }
  return found;
}
