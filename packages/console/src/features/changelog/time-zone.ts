/** How far a zone's clocks are ahead of UTC at a moment, in ms. */
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

/** A moment as a field of date and time shows it in a zone: "2026-11-21T10:17"; "" for no time. */
export function toLocalField(iso: string, timeZone: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return "";
  return new Date(ms + offsetAt(ms, timeZone)).toISOString().slice(0, 16);
}

/**
 * The moment, as ISO 8601 UTC, that such a field means in a zone; null for what is no time. An hour
 * that the clocks repeat is the earlier one, one that they skip is as far after the jump.
 */
export function fromLocalField(field: string, timeZone: string): string | null {
  const local = Date.parse(`${field}Z`);
  if (Number.isNaN(local)) return null;
  // The clocks may change between the two guesses; the right offset is that of one of them.
  const day = 86_400_000;
  const guesses = [local - day, local + day].map((ms) => local - offsetAt(ms, timeZone));
  const fitting = guesses.filter((ms) => ms + offsetAt(ms, timeZone) === local);
  const found = fitting.length > 0 ? Math.min(...fitting) : Math.max(...guesses);
  return new Date(found).toISOString();
}
