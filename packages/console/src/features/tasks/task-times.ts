import type { Task } from "../../api/types.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A running duration in ms: "12 s", "4 min 5 s", "2 h 5 min", "3 days". */
export function formatElapsed(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  const pair = (large: number, small: number, units: readonly [string, string]): string => {
    const rest = Math.floor((ms % large) / small);
    const whole = `${Math.floor(ms / large)} ${units[0]}`;
    return rest === 0 ? whole : `${whole} ${rest} ${units[1]}`;
  };
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return pair(minute, second, ["min", "s"]);
  if (ms < day) return pair(hour, minute, ["h", "min"]);
  const days = Math.floor(ms / day);
  return `${days} ${days === 1 ? "day" : "days"}`;
}

/** A relative time that changes at most once a minute: "just now", "5 min ago", "2 h ago". */
export function formatSince(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < minute) return "just now";
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`;
  if (ms < day) return `${Math.floor(ms / hour)} h ago`;
  return `${formatElapsed(ms)} ago`;
}

const between = (from: string | null, to: number): number | null =>
  from === null ? null : to - Date.parse(from);

/** The time shown on a card; `now` is the server's, in ms. */
export function cardTime(task: Task, now: number): string | null {
  switch (task.status) {
    case "queued":
      return `waits ${formatElapsed(between(task.updatedAt, now) ?? 0)}`;
    case "claimed":
      // Its newest run is the previous attempt's.
      return formatElapsed(between(task.updatedAt, now) ?? 0);
    case "building": {
      const started = between(task.run?.startedAt ?? task.startedAt, now);
      return started === null ? null : formatElapsed(started);
    }
    case "needs_review":
      return formatSince(between(task.updatedAt, now) ?? 0);
    default:
      return formatSince(between(task.finishedAt ?? task.updatedAt, now) ?? 0);
  }
}

/** Whether a card's text changes every second. */
export function isTicking(task: Pick<Task, "status">): boolean {
  return task.status === "queued" || task.status === "claimed" || task.status === "building";
}

/** A run's duration so far (server's time, ms); null before it has started. */
export function runTime(
  run: { startedAt: string | null; finishedAt: string | null },
  now: number,
): string | null {
  if (run.startedAt === null) return null;
  const end = run.finishedAt === null ? now : Date.parse(run.finishedAt);
  return formatElapsed(end - Date.parse(run.startedAt));
}

/** When something is retried: "in 25 s", "now". */
export function formatUntil(iso: string, now: number): string {
  const left = Date.parse(iso) - now;
  return left < second ? "now" : `in ${formatElapsed(left)}`;
}
