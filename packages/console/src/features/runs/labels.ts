import type { FileCount, RunStatus } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import type { RunView } from "./run-view.ts";

const statusLabels: Readonly<Record<RunStatus, string>> = {
  queued: "Running",
  running: "Running",
  building: "Building",
  preview_ready: "Preview ready",
  publishing: "Publishing",
  published: "Live",
  discarded: "Discarded",
  failed: "Failed",
  cancelled: "Stopped",
  interrupted: "Stopped",
};

/** The label of a run's state. */
export function runStatusLabel(status: RunStatus): string {
  return statusLabels[status];
}

/** Whether the run is being executed. */
export function isActive(status: RunStatus): boolean {
  return (
    status === "queued" || status === "running" || status === "building" || status === "publishing"
  );
}

/** Whether the run can still change: it is being executed, or waits for Publish or Discard. */
export function isOpen(status: RunStatus): boolean {
  return isActive(status) || status === "preview_ready";
}

/** A duration: 300 ms → "0.3 s", 64,000 ms → "1 min 4 s". */
export function formatMilliseconds(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 9.95) return `${Math.max(0.1, Math.round(seconds * 10) / 10)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const rest = whole % 60;
  return rest === 0 ? `${Math.floor(whole / 60)} min` : `${Math.floor(whole / 60)} min ${rest} s`;
}

/** After this time, in ms, the message explains what happens to a silent model. */
const longSilence = 30_000;

/**
 * The message after `milliseconds` of silence: "Waiting for the model… 35 s". The server aborts
 * after two minutes.
 */
export function silenceLabel(view: RunView, milliseconds: number): string {
  const time = formatMilliseconds(Math.round(milliseconds / 1000) * 1000);
  const hasModel = view.model !== null && view.model !== "literal" && view.model !== "none";
  const works = view.items.some((item) =>
    item.kind === "explore"
      ? item.calls.some((call) => call.state === "running")
      : "state" in item && item.state === "running",
  );
  if (works || !hasModel || view.status !== "running") return `Still working… ${time}`;
  const advice = milliseconds < longSilence ? "" : ". Without an answer it ends after 2 min.";
  return `Waiting for the model… ${time}${advice}`;
}

const signs: Readonly<Record<string, string>> = { EUR: "€", GBP: "£", USD: "$" };

/** An amount: "€0.04", "0.04 SEK", "0.04" in an unknown currency; more digits below a cent. */
export function formatMoney(cost: number, currency?: string | null): string {
  const digits = cost > 0 && cost < 0.01 ? 4 : 2;
  const sum = cost.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const sign = signs[currency ?? ""];
  if (sign) return sign + sum;
  return currency ? `${sum} ${currency}` : sum;
}

/** "12 tokens", "cost €0.04": known, non-zero usage. */
export function usageLabels(
  tokens: number,
  cost: number | null,
  currency?: string | null,
): string[] {
  return [
    ...(tokens > 0 ? [formatCount(tokens, "token")] : []),
    ...(cost ? [`cost ${formatMoney(cost, currency)}`] : []),
  ];
}

/** Whether a run changes fields of records, which are listed with the files. */
export function hasRecordChanges(files: readonly FileCount[]): boolean {
  return files.some(({ path }) => path.startsWith("projects/"));
}

/** "2 files, +9 −5": how much a run changed; "2 changes" if it includes fields of records. */
export function changeSummary(files: readonly FileCount[]): string {
  if (files.length === 0) return "No files changed";
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const unit = hasRecordChanges(files) ? "change" : "file";
  return `${formatCount(files.length, unit)}, ${formatLineChanges(added, removed)}`;
}

/** "+9 −5", with a minus sign. */
export function formatLineChanges(added: number, removed: number): string {
  return `+${added} −${removed}`;
}

/** A path split into folder ("app/src/") and name ("about.astro"). */
export function splitPath(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf("/") + 1;
  return { folder: path.slice(0, at), name: path.slice(at) };
}

/** A page's name: its path, or "Home page". */
export function pageName(path: string): string {
  return path === "/" ? "Home page" : path;
}

/** A rough relative time: "just now", "5 min ago", "3 h ago", otherwise the date. */
export function formatRelativeTime(iso: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (!Number.isFinite(minutes)) return "";
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(iso).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
  });
}

/** The first non-empty line of a message. */
export function firstLine(text: string): string {
  return (
    text
      .split("\n")
      .find((line) => line.trim() !== "")
      ?.trim() ?? ""
  );
}
