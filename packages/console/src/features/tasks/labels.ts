import type {
  BoardColumn,
  Task,
  TaskDetail,
  TaskKind,
  TaskRun,
  TaskStatus,
} from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import { isActive, formatMoney, formatLineChanges, splitPath } from "../runs/labels.ts";

/** The columns of the board, in their order. */
export const columns: readonly { column: BoardColumn; label: string; empty: string }[] = [
  { column: "queued", label: "Queued", empty: "No tasks waiting." },
  { column: "running", label: "Running", empty: "No tasks running." },
  { column: "needs_review", label: "Needs review", empty: "Nothing to review." },
  { column: "published", label: "Published", empty: "Nothing yet." },
  { column: "ended", label: "Reverted or failed", empty: "Nothing." },
];

export const statusLabels: Readonly<Record<TaskStatus, string>> = {
  queued: "Queued",
  claimed: "Starting",
  building: "Running",
  needs_review: "Needs review",
  published: "Published",
  reverted: "Reverted",
  failed: "Failed",
  cancelled: "Cancelled",
};

const statusAnnouncements: Readonly<Record<TaskStatus, string>> = {
  queued: "queued",
  claimed: "is starting",
  building: "is running",
  needs_review: "needs review",
  published: "published",
  reverted: "reverted",
  failed: "failed",
  cancelled: "cancelled",
};

const kindLabels: Readonly<Record<TaskKind, string>> = {
  edit: "Site change",
  project: "Project page",
  "qa-fix": "QA fix",
};

/** The same where there is little room. */
const shortKindLabels: Readonly<Record<TaskKind, string>> = {
  edit: "Change",
  project: "Project page",
  "qa-fix": "Fix",
};

/** What a task is for, in a few words; `short` where there is little room. */
export function kindLabel(task: Pick<Task, "kind" | "projectStatus">, length?: "short"): string {
  if (task.projectStatus !== null) return length === "short" ? "Case study" : "New case study";
  return (length === "short" ? shortKindLabels : kindLabels)[task.kind];
}

/** What becomes of the new project that a task makes; null where it makes none. */
export function projectStatusLabel({ projectStatus }: Pick<Task, "projectStatus">): string | null {
  if (projectStatus === null) return null;
  return projectStatus === "draft" ? "Save as draft" : "Publish";
}

/** Whether all that a task has made is a draft, which no visitor sees. */
export function isDraftSaved(task: Pick<Task, "status" | "projectStatus">): boolean {
  return task.status === "published" && task.projectStatus === "draft";
}

/** What became of a task, as the end of a sentence about it. */
export function announcementOf(task: Pick<Task, "status" | "projectStatus">): string {
  return isDraftSaved(task) ? "saved as a draft" : statusAnnouncements[task.status];
}

/** The ways to weigh a task, the ordinary one in the middle. */
export const priorities = [
  { value: "-1", label: "Low" },
  { value: "0", label: "Normal" },
  { value: "1", label: "High" },
] as const;

/** The task's title as it can be shown. */
export function titleOf(task: Pick<Task, "title" | "id">): string {
  return plainText(task.title).trim() || `Task #${task.id}`;
}

/** The page that a task is about: the one it names, else its project's, else the first. */
export function pageOf(
  task: Pick<TaskDetail, "pageUrl" | "project" | "projectStatus" | "run">,
): string {
  if (task.pageUrl !== null) return task.pageUrl;
  if (task.projectStatus === "draft") return "/";
  const slug = task.project?.slug ?? (task.projectStatus === null ? null : newSlugOf(task.run));
  return slug === null ? "/" : `/projects/${slug}/`;
}

/** The slug of the new project that a run makes; null where it makes none. */
function newSlugOf(run: Pick<TaskRun, "filesChanged"> | null): string | null {
  const slugs = (run?.filesChanged ?? []).map(({ path }) => /^projects\/([^/]+)$/.exec(path)?.[1]);
  return slugs.find((slug) => slug !== undefined) ?? null;
}

/** Who or what asked for a task. */
export function originOf(task: Pick<Task, "actor" | "findingId">): string {
  if (task.findingId !== null) return `QA finding #${task.findingId}`;
  return plainText(task.actor);
}

/** "High priority"; null for the ordinary one. */
export function priorityLabel(priority: number): string | null {
  if (priority === 0) return null;
  return priority > 0 ? "High priority" : "Low priority";
}

/** "Attempt 2 of 3"; null for the first. */
export function attemptLabel(task: Pick<Task, "attempts" | "maxAttempts">): string | null {
  return task.attempts > 1 ? `Attempt ${task.attempts} of ${task.maxAttempts}` : null;
}

/** "€0.04", "cost 0.04" where the currency is not known; null where nothing was spent. */
export function costLabel(run: Pick<TaskRun, "cost" | "currency"> | null): string | null {
  if (!run?.cost) return null;
  const sum = formatMoney(run.cost, run.currency);
  return run.currency ? sum : `cost ${sum}`;
}

/** "+9 −5 in 2 files", "+9 −5 in about.astro"; null where nothing was changed. */
export function filesLabel(run: Pick<TaskRun, "filesChanged"> | null): string | null {
  const files = run?.filesChanged ?? [];
  const [first] = files;
  if (!first) return null;
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const where =
    files.length === 1 ? splitPath(plainText(first.path)).name : `${files.length} files`;
  return `${formatLineChanges(added, removed)} in ${where}`;
}

/** Whether the task's run is still being put down after the task was cancelled. */
export function isStopping(task: Pick<Task, "status" | "run">): boolean {
  return task.status === "cancelled" && task.run !== null && isActive(task.run.status);
}

/** Whether its change is on its way to the public. */
export function isPublishing(task: Pick<Task, "status" | "run" | "approvedAt">): boolean {
  if (task.status === "needs_review" && task.approvedAt !== null) return true;
  return task.status !== "published" && task.run?.status === "publishing";
}

/** The id of a runner, a ULID. */
const runnerId = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The name of the worker that is no runner and holds the task; null where none does. */
export function workerOf({ status, claimedBy }: Pick<Task, "status" | "claimedBy">): string | null {
  if (status !== "claimed" || claimedBy === null || runnerId.test(claimedBy)) return null;
  return plainText(claimedBy).trim() || "A worker";
}

/** The task's state in a word or two; a preview that was dropped is discarded, not cancelled. */
export function taskStatusLabel(
  task: Pick<Task, "status" | "run" | "approvedAt" | "claimedBy" | "projectStatus">,
): string {
  if (isDraftSaved(task)) return "Draft saved";
  if (isStopping(task)) return "Stopping…";
  if (workerOf(task) !== null) return statusLabels.building;
  if (task.status === "cancelled" && task.run?.status === "discarded") return "Discarded";
  return isPublishing(task) ? "Publishing…" : statusLabels[task.status];
}

/** What is done for the task right now, in a few words; null when nothing is. */
export function stepLabel(task: Task): string | null {
  if (isStopping(task)) return "Stopping…";
  if (isPublishing(task)) return "Publishing…";
  const worker = workerOf(task);
  if (worker !== null) return `${worker} is working on it`;
  if (task.status === "claimed") return "Starting";
  if (task.status !== "building") return null;
  const step = plainText(task.run?.step ?? "").trim();
  if (step !== "") return step;
  return task.run?.status === "building" ? "Building preview" : "Working";
}
