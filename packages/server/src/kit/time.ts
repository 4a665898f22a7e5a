/** ISO 8601 in UTC with milliseconds: the one form of a time in records and answers. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Whether this is a time zone such as Europe/Stockholm. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
