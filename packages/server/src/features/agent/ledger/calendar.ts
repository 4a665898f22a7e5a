/** The day (`2026-11-21`) or month (`2026-11`) of a moment in a time zone. */
function dateOf(format: Intl.DateTimeFormat, ms: number, span: Span): string {
  const parts = Object.fromEntries(
    format.formatToParts(ms).map(({ type, value }) => [type, value]),
  );
  const month = `${parts["year"]}-${parts["month"]}`;
  return span === "month" ? month : `${month}-${parts["day"]}`;
}

export type Span = "day" | "month";

const hour = 3_600_000;
/** Upper limits of a day's and a month's length, including clock changes. */
const maxSpanMs: Record<Span, number> = { day: 49 * hour, month: 33 * 24 * hour };

/**
 * The first moment in (low, high] at which `holds` is true; it is false at `low` and true from that
 * moment on.
 */
function firstMoment(low: number, high: number, holds: (ms: number) => boolean): number {
  let before = low;
  let from = high;
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (holds(middle)) from = middle;
    else before = middle;
  }
  return from;
}

/**
 * When the current day or month began and when the next one begins, in ms, in a time zone. The
 * limits are searched for rather than calculated, so that days of 23 and 25 hours, and days that
 * begin at one o'clock, are right.
 */
export function boundsOf(span: Span, now: number, timeZone: string): { from: number; to: number } {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const here = dateOf(format, now, span);
  return {
    from: firstMoment(now - maxSpanMs[span], now, (ms) => dateOf(format, ms, span) >= here),
    to: firstMoment(now, now + maxSpanMs[span], (ms) => dateOf(format, ms, span) > here),
  };
}
