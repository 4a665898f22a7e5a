import { timeZone } from "./records.ts";
import type { Change } from "./snapshot.ts";

const dayAndTime = format({
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const month = format({ month: "long", year: "numeric" });

/** `14 Nov 2026, 10:20` in the owner's time zone. */
export function showDayAndTime(at: string): string {
  return dayAndTime.format(new Date(at));
}

/** `2021-08` as `2021`; months matter to programs, years to readers. */
export function showYears(start: string | undefined, end: string | undefined, now: string): string {
  const from = start?.slice(0, 4) ?? "";
  const to = end ? end.slice(0, 4) : now;
  return from === to ? from : `${from} – ${to}`;
}

/** Entries under the months in which they happened, in the order given. */
export function groupByMonth(list: Change[]): { month: string; changes: Change[] }[] {
  const groups: { month: string; changes: Change[] }[] = [];
  for (const change of list) {
    const name = month.format(new Date(change.at));
    const last = groups.at(-1);
    if (last?.month === name) last.changes.push(change);
    else groups.push({ month: name, changes: [change] });
  }
  return groups;
}

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
}
