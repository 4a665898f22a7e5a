import type { Counts, Pass, QaFinding, QaOverview, Task } from "../../api/types.ts";
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

/** A category as it is shown: "Links", "Search engines". */
export function categoryName(category: string): string {
  return categoryNames[category] ?? category.charAt(0).toUpperCase() + category.slice(1);
}

/** "2 errors, 1 warning, 3 notices"; "nothing" where there are none. */
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
  return totalOf(counts) === 0 ? "Nothing is open" : `Open: ${countsLabel(counts)}`;
}

export const totalOf = ({ error, warning, notice }: Counts): number => error + warning + notice;

/** What began a pass, as the end of a sentence. */
export function triggerLabel({
  trigger,
  requestedBy,
}: Pick<Pass, "trigger" | "requestedBy">): string {
  if (trigger === "heartbeat") return "by itself";
  if (trigger === "task") return "after a task";
  const by = requestedBy.trim();
  return by === "" ? "by hand" : `by ${by}`;
}

/** "14 pages, 120 links, 3 pages in a browser": how much a pass looked at. */
export function extentLabel(
  pass: Pick<Pass, "pages" | "links" | "browserPages" | "unchanged">,
): string {
  const parts = [formatCount(pass.pages, "page")];
  // Of an unchanged site no page is read, and only the links to other sites are counted; a program
  // of the command line counts none.
  if (!pass.unchanged && pass.links > 0) parts.push(formatCount(pass.links, "link"));
  if (pass.browserPages > 0) parts.push(`${formatCount(pass.browserPages, "page")} in a browser`);
  return parts.join(", ");
}

/** "2 new, 1 fixed, 1 back": what a pass changed; null where nothing. */
export function changeLabel(pass: Pick<Pass, "fresh" | "fixed" | "reopened">): string | null {
  const parts = [
    ...(pass.fresh > 0 ? [`${pass.fresh} new`] : []),
    ...(pass.fixed > 0 ? [`${pass.fixed} fixed`] : []),
    ...(pass.reopened > 0 ? [`${pass.reopened} back again`] : []),
  ];
  return parts.join(", ") || null;
}

/** "4.2 s"; null where it is not known. */
export function durationLabel(pass: Pick<Pass, "durationMs">): string | null {
  return pass.durationMs === null ? null : formatMilliseconds(pass.durationMs);
}

/** What became of a pass in a sentence, for who listens. */
export function runNews(
  pass: Pick<Pass, "status" | "counts" | "fresh" | "fixed" | "reopened">,
): string {
  if (pass.status === "failed") return "The pass has failed.";
  if (pass.status === "aborted") return "The pass was stopped.";
  const changed = changeLabel(pass);
  return `The pass is over: ${countsLabel(pass.counts)} open${changed === null ? "" : ` (${changed})`}.`;
}

/** When a pass begins by itself, and whether anything is mended by itself. */
export function nextRunText(
  overview: Pick<QaOverview, "nextAt" | "heartbeatMinutes" | "running">,
  now: number,
): string {
  const { nextAt, heartbeatMinutes } = overview;
  if (heartbeatMinutes === 0) return "No pass begins by itself: the heartbeat is switched off.";
  const every = `every ${heartbeatMinutes === 60 ? "hour" : formatElapsed(heartbeatMinutes * 60_000)}`;
  if (nextAt === null) return `Passes begin by themselves ${every}, but no runner is alive.`;
  const left = Date.parse(nextAt) - now;
  if (left < 60_000) return `The next pass begins by itself in a moment, then ${every}.`;
  // Counted in minutes, it need not be told anew each second.
  return `The next pass begins by itself in ${formatElapsed(Math.round(left / 60_000) * 60_000)}, then ${every}.`;
}

export function autofixText(autofix: boolean): string {
  return autofix
    ? "Internal links with one clear target are mended by themselves; missing alternative texts too, where a model is chosen."
    : "Nothing is mended by itself.";
}

/** What confidence means to the owner; null for what is certain. */
export function confidenceLabel({ confidence }: Pick<QaFinding, "confidence">): string | null {
  if (confidence === "review") return "Needs a look";
  return confidence === "likely" ? "Seen once so far" : null;
}

const asked: Readonly<Partial<Record<Task["status"], string>>> = {
  claimed: "is at work on it",
  building: "is at work on it",
  needs_review: "is to be reviewed",
  published: "is live: the next pass tells whether it helped",
};

/** "Queued as task #41, #42.": what has the findings that a fix was asked for. */
export function fixNews(tasks: readonly Pick<Task, "id" | "status">[]): string {
  const known = [...new Map(tasks.map((task) => [task.id, task])).values()];
  const queued = known.filter(({ status }) => asked[status] === undefined);
  const names = queued.map(({ id }) => `#${id}`).join(", ");
  const others = known.flatMap(({ id, status }) =>
    asked[status] === undefined ? [] : [`Task #${id} ${asked[status]}.`],
  );
  const first = queued.length > 1 ? `Queued as tasks ${names}.` : `Queued as task ${names}.`;
  return [...(queued.length > 0 ? [first] : []), ...others].join(" ");
}

/** "on /about/", "on 6 pages". */
export function pagesLabel(pages: readonly string[], pageCount: number): string {
  const [only] = pages;
  return pageCount <= 1 && only !== undefined ? only : formatCount(pageCount, "page");
}

/** The end of an ignoring, from now (ms): null is for good. */
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

/** An address that may stand in a link: of the web, or of this site; null for anything else. */
export function linkTo(address: string): string | null {
  return /^(?:https?:\/\/|\/(?![/\\]))/i.test(address) ? address : null;
}
