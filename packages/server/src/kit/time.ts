/** ISO 8601 in UTC with milliseconds, the only form of times in records and responses. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Whether this is a time zone such as Europe/Stockholm. */
export function isTimeZone(name: string): boolean {
  // A formatter knows other names for them, too, but its data takes ten times as long to load.
  if (name === "UTC" || Intl.supportedValuesOf("timeZone").includes(name)) return true;
  if (!/^[\w+/-]+$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
