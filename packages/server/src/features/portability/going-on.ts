const words = /^(?:present|current|currently|now|today|ongoing|-|–|—)$/i;

/** Whether a text says, in the place of a date, that something has no end yet. */
export function goesOn(text: string): boolean {
  return words.test(text.trim());
}
