/** ISO 8601 in UTC with milliseconds: the one form of a time in records and answers. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
