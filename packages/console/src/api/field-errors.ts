/** The server's words about a field, which go on from its name, as a sentence of their own. */
export function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** What is wrong with some fields as sentences that say which; `labels` are what a page calls them. */
export function namedSentences(
  fields: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(fields).map(([name, words]) =>
    sentence(`${labels[name] ?? name} ${words}`),
  );
}

/** What is wrong with a field as a sentence; null where nothing is. */
export function fieldSentence(words: string | undefined): string | null {
  return words ? sentence(words) : null;
}
