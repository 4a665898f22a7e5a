const ongoingPattern = /^(?:present|current|currently|now|today|ongoing|-|–|—)$/i;

/** Whether a text in place of a date means that something is ongoing. */
export function isOngoing(text: string): boolean {
  return ongoingPattern.test(text.trim());
}
