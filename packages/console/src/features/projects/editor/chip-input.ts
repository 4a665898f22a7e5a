/**
 * `words` after adding `text`: split at commas, semicolons, tabs, and line breaks, without
 * duplicates.
 */
export function addLabels(words: readonly string[], text: string): string[] {
  const next = [...words];
  for (const part of text.split(/[,;\t\r\n]+/)) {
    const word = part.normalize("NFC").replace(/\s+/g, " ").trim();
    const known = next.some((other) => other.toLowerCase() === word.toLowerCase());
    if (word !== "" && !known) next.push(word);
  }
  return next;
}

/** Whether a text is a list rather than one word. */
export function isList(text: string): boolean {
  return /[,;\t\r\n]/.test(text);
}
