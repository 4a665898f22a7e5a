import type { Counts, FixAnswer, QaRun, QaFinding, QaOverview, Task } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { formatMilliseconds } from "../runs/labels.ts";
import { formatElapsed } from "../tasks/task-times.ts";

const categoryNames: Readonly<Record<string, string>> = {
  a11y: "Accessibility",
  ext: "External links",
  external: "External links",
  "form probes": "Forms",
  form: "Forms",
  i18n: "Languages",
  seo: "Search engines",
  meta: "Page data",
  js: "Scripts",
  console: "Scripts",
  sec: "Security",
  perf: "Performance",
  responsive: "Small screens",
};

/** A category's label: "Links", "Search engines". */
export function categoryName(category: string): string {
  return categoryNames[category] ?? category.charAt(0).toUpperCase() + category.slice(1);
}

/** "2 errors, 1 warning, 3 notices"; "nothing" if there are none. */
export function countsLabel({ error, warning, notice }: Counts): string {
  const parts = [
    ...(error > 0 ? [formatCount(error, "error")] : []),
    ...(warning > 0 ? [formatCount(warning, "warning")] : []),
    ...(notice > 0 ? [formatCount(notice, "notice")] : []),
  ];
  return parts.join(", ") || "nothing";
}

/** "Open: 2 errors"; "Nothing is open". */
export function openCountLabel(counts: Counts): string {
  return totalOf(counts) === 0 ? "No open issues" : `Open: ${countsLabel(counts)}`;
}

export const totalOf = ({ error, warning, notice }: Counts): number => error + warning + notice;

/** What started a QA run, as the end of a sentence. */
export function triggerLabel({
  trigger,
  requestedBy,
}: Pick<QaRun, "trigger" | "requestedBy">): string {
  if (trigger === "heartbeat") return "automatically";
  if (trigger === "task") return "after a task";
  const by = requestedBy.trim();
  return by === "" ? "manually" : `by ${by}`;
}

/** "14 pages, 120 links, 3 pages in a browser": what a QA run has checked. */
export function extentLabel(
  run: Pick<QaRun, "pages" | "links" | "browserPages" | "isUnchanged">,
): string {
  const parts = [formatCount(run.pages, "page")];
  // No page of an unchanged site is read, and only links to other sites are counted; an external
  // program counts nothing.
  if (!run.isUnchanged && run.links > 0) parts.push(formatCount(run.links, "link"));
  if (run.browserPages > 0) parts.push(`${formatCount(run.browserPages, "page")} in a browser`);
  return parts.join(", ");
}

/** "2 new, 1 fixed, 1 back": what a QA run has changed; null if nothing. */
export function changeLabel(
  run: Pick<QaRun, "newFindings" | "fixedFindings" | "reopenedFindings">,
): string | null {
  const parts = [
    ...(run.newFindings > 0 ? [`${run.newFindings} new`] : []),
    ...(run.fixedFindings > 0 ? [`${run.fixedFindings} fixed`] : []),
    ...(run.reopenedFindings > 0 ? [`${run.reopenedFindings} reopened`] : []),
  ];
  return parts.join(", ") || null;
}

/** "4.2 s"; null if unknown. */
export function durationLabel(run: Pick<QaRun, "durationMs">): string | null {
  return run.durationMs === null ? null : formatMilliseconds(run.durationMs);
}

/** The result of a QA run as an announcement. */
export function runAnnouncement(
  run: Pick<QaRun, "status" | "counts" | "newFindings" | "fixedFindings" | "reopenedFindings">,
): string {
  if (run.status === "failed") return "The QA run failed.";
  if (run.status === "aborted") return "The QA run was stopped.";
  const changed = changeLabel(run);
  return `QA run finished: ${countsLabel(run.counts)} open${changed === null ? "" : ` (${changed})`}.`;
}

/** When a QA run starts automatically, and whether fixes are queued automatically. */
export function nextRunText(
  overview: Pick<QaOverview, "nextRunAt" | "intervalMinutes" | "currentRun">,
  now: number,
): string {
  const { nextRunAt, intervalMinutes } = overview;
  if (intervalMinutes === 0) return "Automatic QA runs are off.";
  const every = `every ${intervalMinutes === 60 ? "hour" : formatElapsed(intervalMinutes * 60_000)}`;
  if (nextRunAt === null) return `QA runs ${every}, but no runner is active.`;
  const left = Date.parse(nextRunAt) - now;
  if (left < 60_000) return `The next QA run starts in a moment, then ${every}.`;
  // In minutes, so that it needn't be updated every second.
  return `The next QA run starts in ${formatElapsed(Math.round(left / 60_000) * 60_000)}, then ${every}.`;
}

export function autofixText(autofix: boolean): string {
  return autofix
    ? "Internal links with one clear target are fixed automatically, and so is missing alt text if a model is set up."
    : "Nothing is fixed automatically.";
}

/** What confidence means to the owner; null if it is certain. */
export function confidenceLabel({ confidence }: Pick<QaFinding, "confidence">): string | null {
  if (confidence === "review") return "Needs review";
  return confidence === "likely" ? "Seen once so far" : null;
}

const asked: Readonly<Partial<Record<Task["status"], string>>> = {
  claimed: "is working on it",
  building: "is working on it",
  needs_review: "needs review",
  published: "is live. The next QA run checks whether it worked",
};

/** "Queued as task #41, #42.": the tasks for the requested fixes. */
export function fixAnnouncement(
  tasks: readonly (Pick<Task, "id" | "status"> & Partial<Pick<FixAnswer, "isNoteFollowed">>)[],
): string {
  const known = [...new Map(tasks.map((task) => [task.id, task])).values()];
  const queued = known.filter(({ status }) => asked[status] === undefined);
  const names = queued.map(({ id }) => `#${id}`).join(", ");
  const others = known.flatMap(({ id, status }) =>
    asked[status] === undefined ? [] : [`Task #${id} ${asked[status]}.`],
  );
  const first = queued.length > 1 ? `Queued as tasks ${names}.` : `Queued as task ${names}.`;
  const isIgnored = tasks.some(({ isNoteFollowed }) => isNoteFollowed === false);
  const note = isIgnored ? ["Your instruction needs a model and won’t be followed."] : [];
  return [...(queued.length > 0 ? [first] : []), ...others, ...note].join(" ");
}

/** "on /about/", "on 6 pages". */
export function pagesLabel(pages: readonly string[], pageCount: number): string {
  const [only] = pages;
  return pageCount <= 1 && only !== undefined ? only : formatCount(pageCount, "page");
}

/** When ignoring ends, relative to now (ms): null is forever. */
export type Span = "week" | "month" | "good";
export const spans: readonly { value: Span; label: string }[] = [
  { value: "week", label: "A week" },
  { value: "month", label: "A month" },
  { value: "good", label: "For good" },
];
const day = 86_400_000;
export function ignoreUntil(span: Span, now: number): string | null {
  if (span === "good") return null;
  return new Date(now + (span === "week" ? 7 : 30) * day).toISOString();
}

/** A safe link target, on the web or on this site; null for anything else. */
export function linkTo(address: string): string | null {
  return /^(?:https?:\/\/|\/(?![/\\]))/i.test(address) ? address : null;
}
