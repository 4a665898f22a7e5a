/** ISO 8601 in UTC with milliseconds, the only form of times in records and responses. */
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
