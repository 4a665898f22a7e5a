/** The day (`2026-11-21`) or month (`2026-11`) of a moment, by the clocks of a time zone. */
function dateOf(format: Intl.DateTimeFormat, ms: number, span: Span): string {
  const parts = Object.fromEntries(
    format.formatToParts(ms).map(({ type, value }) => [type, value]),
  );
  const month = `${parts["year"]}-${parts["month"]}`;
  return span === "month" ? month : `${month}-${parts["day"]}`;
}

export type Span = "day" | "month";

const hour = 3_600_000;
/** No day or month is longer, also where the clocks are turned back in it. */
const maxSpanMs: Record<Span, number> = { day: 49 * hour, month: 33 * 24 * hour };

/** The first moment in (low, high] at which `holds`; it doesn't at `low`, and does from there on. */
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
 * When the day or month of `now` began and when the next begins, in ms, by the clocks of a time
 * zone. It is looked for rather than reckoned, so that days of 23 and 25 hours, and those that begin
 * at one o'clock, are right.
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
