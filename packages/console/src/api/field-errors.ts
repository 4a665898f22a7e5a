/** Turns the server's message about a field, which continues the field's name, into a sentence. */
export function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Field errors as sentences with the field's name; `labels` are the names on the page. */
export function namedSentences(
  fields: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(fields).map(([name, words]) =>
    sentence(`${labels[name] ?? name} ${words}`),
  );
}

/** A field's error as a sentence; null without one. */
export function fieldSentence(words: string | undefined): string | null {
  return words ? sentence(words) : null;
}
