import type { Limits } from "../../../platform/config.ts";
import type { BuildReport } from "../../runs/schema.ts";
import type { FileDiff } from "../../workspace/diff.ts";
import type { ReviewReason } from "../schema.ts";
import type { Addition, Difference } from "./compare.ts";

/** Maximum items of a reason. */
const maxItems = 20;
/** A change that deletes more of the site's own files than this needs review. */
const maxDeletedFiles = 5;

function listed(items: readonly string[]): string[] {
  if (items.length <= maxItems) return [...items];
  const shown = items.slice(0, maxItems - 1);
  return [...shown, `and ${items.length - shown.length} more`];
}

function counted(count: number, one: string, several = `${one}s`): string {
  return count === 1 ? `one ${one}` : `${count} ${several}`;
}

function placed({ what, path, places }: Addition): string {
  const page = path.endsWith("/") || path.endsWith(".html");
  const more = places > 1 ? ` and ${counted(places - 1, "more place")}` : "";
  return page ? `${what} on ${path}${more}` : `${what} (${path}${more})`;
}

const messages = {
  script: "It adds code that runs in visitors’ browsers and that the live site doesn’t have.",
  origin: "It uses external addresses in ways that the live site doesn’t.",
  unread: "Part of it can’t be analyzed, so its effect is unknown.",
} as const;

/** Reasons from what the built site has and the live one hasn't. */
function reasonsOfAdditions(added: readonly Addition[]): ReviewReason[] {
  return (["script", "origin", "unread"] as const).flatMap((kind) => {
    const items = added.filter((one) => one.kind === kind).map(placed);
    if (items.length === 0) return [];
    const reason = kind === "unread" ? "unchecked" : kind;
    return { kind: reason, message: messages[kind], items: listed(items) } satisfies ReviewReason;
  });
}

function size(message: string, items: readonly string[]): ReviewReason {
  return { kind: "size", message, items: listed(items) };
}

/** Reasons from unusual changes to the source. */
function reasonsOfSource(files: readonly FileDiff[], limits: Limits["tasks"]): ReviewReason[] {
  const reasons: ReviewReason[] = [];
  const paths = files.map(({ path }) => path);
  if (files.length > limits.files) {
    const limit = `at most ${limits.files} can go live without review`;
    reasons.push(size(`It changes ${files.length} files; ${limit}.`, paths));
  }
  const lines = files.reduce((sum, { added, removed }) => sum + added + removed, 0);
  if (lines > limits.lines) {
    const limit = `at most ${limits.lines} can go live without review`;
    const biggest = files
      .toSorted((a, b) => b.added + b.removed - a.added - a.removed)
      .map(({ path, added, removed }) => `${path}: +${added} −${removed}`);
    reasons.push(size(`It changes ${lines} lines; ${limit}.`, biggest));
  }
  const deleted = files.filter(({ status }) => status === "deleted").map(({ path }) => path);
  if (deleted.length > maxDeletedFiles) {
    reasons.push(size(`It deletes ${deleted.length} files.`, deleted));
  }
  return reasons;
}

/** Reasons from changes to the size of the site. */
function reasonsOfSize(
  { removedPages, removedFiles, emptiedPages: emptied, growth }: Difference,
  limits: Limits["tasks"],
): ReviewReason[] {
  const reasons: ReviewReason[] = [];
  if (removedPages.length > 0) {
    reasons.push(
      size(`It removes ${counted(removedPages.length, "page")} from the site.`, removedPages),
    );
  }
  if (removedFiles.length > maxDeletedFiles) {
    reasons.push(size(`It removes ${removedFiles.length} files from the site.`, removedFiles));
  }
  if (emptied.length > 0) {
    const what = counted(emptied.length, "page");
    reasons.push(size(`It removes almost everything from ${what}.`, emptied));
  }
  const grown = Math.ceil(growth / 1024);
  if (grown > limits.growthKiB) {
    const limit = `at most ${limits.growthKiB} KiB can go live without review`;
    reasons.push(size(`It makes the site ${grown} KiB larger; ${limit}.`, []));
  }
  return reasons;
}

/** Reasons from the build checks; null if they couldn't run. */
function reasonsOfReport(report: BuildReport | null): ReviewReason[] {
  if (report === null) {
    const message = "The build couldn’t be checked.";
    return [{ kind: "unchecked", message, items: [] }];
  }
  const reasons: ReviewReason[] = [];
  if (report.blank.length > 0) {
    const message = `It leaves ${counted(report.blank.length, "page")} blank.`;
    reasons.push({ kind: "checks", message, items: listed(report.blank) });
  }
  const errors = report.findings.filter(({ severity }) => severity === "error");
  const count = Math.max(report.added.error, errors.length);
  if (count > 0) {
    const message = `The checks found ${counted(count, "error")} that the live site doesn’t have.`;
    const items = errors.map(({ message: what, page }) => `${what} (${page})`);
    reasons.push({ kind: "checks", message, items: listed(items) });
  }
  return reasons;
}

/** The input for judging a change, besides the built site. */
export interface ReasonInput {
  /** The changes to the source. */
  files: readonly FileDiff[];
  /** The result of the build checks; null if they couldn't run. */
  report: BuildReport | null;
  limits: Limits["tasks"];
}

/** All reasons to review a change; `found` is null if the comparison failed. */
export function reasonsOf(
  found: Difference | null,
  { files, report, limits }: ReasonInput,
): ReviewReason[] {
  return [
    ...(found ? [...reasonsOfAdditions(found.added), ...reasonsOfSize(found, limits)] : []),
    ...reasonsOfSource(files, limits),
    ...reasonsOfReport(report),
  ];
}
