/** A time zone's offset from UTC at a moment, in ms. */
function offsetAt(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(ms);
  const number = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(
    number("year"),
    number("month") - 1,
    number("day"),
    number("hour"),
    number("minute"),
    number("second"),
  );
  return local - Math.floor(ms / 1000) * 1000;
}

/** A moment as the value of a datetime field in a zone: "2026-11-21T10:17"; "" without one. */
export function toLocalField(iso: string, timeZone: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return "";
  return new Date(ms + offsetAt(ms, timeZone)).toISOString().slice(0, 16);
}

/**
 * The moment, as ISO 8601 UTC, of such a value in a zone; null if it is invalid. A repeated hour is
 * the earlier one; a skipped one counts from the jump.
 */
export function fromLocalField(field: string, timeZone: string): string | null {
  const local = Date.parse(`${field}Z`);
  if (Number.isNaN(local)) return null;
  // The clocks may change between the two guesses; one of their offsets is right.
  const day = 86_400_000;
  const guesses = [local - day, local + day].map((ms) => local - offsetAt(ms, timeZone));
  const fitting = guesses.filter((ms) => ms + offsetAt(ms, timeZone) === local);
  const found = fitting.length > 0 ? Math.min(...fitting) : Math.max(...guesses);
  return new Date(found).toISOString();
}
