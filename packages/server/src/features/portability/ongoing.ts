const ongoingPattern = /^(?:present|current|currently|now|today|ongoing|-|–|—)$/i;

/** Whether a text says, in the place of a date, that something has no end yet. */
export function isOngoing(text: string): boolean {
  return ongoingPattern.test(text.trim());
}
