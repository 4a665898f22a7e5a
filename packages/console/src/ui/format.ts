const units = ["B", "kB", "MB", "GB"] as const;

/** A size in bytes: "1.4 MB". */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 1 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** A video's duration: "0:07", "2:31", "1:02:05". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = `${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** A time in the site's time zone: "21 Nov 2026, 09:17"; or only its day. */
export function formatTime(iso: string, timeZone: string, dayOnly = false): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    ...(!dayOnly && { timeStyle: "short" }),
    timeZone,
  }).format(date);
}

/** A number with its noun: "1 image", "4 images". */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;
}
