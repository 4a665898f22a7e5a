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

/** The columns of the board, in order. */
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

/** The same for little space. */
const shortKindLabels: Readonly<Record<TaskKind, string>> = {
  edit: "Change",
  project: "Project page",
  "qa-fix": "Fix",
};

/** A task's kind; `short` for little space. */
export function kindLabel(task: Pick<Task, "kind" | "projectStatus">, length?: "short"): string {
  if (task.projectStatus !== null) return length === "short" ? "Case study" : "New case study";
  return (length === "short" ? shortKindLabels : kindLabels)[task.kind];
}

/** The status of the project that a task creates; null if it creates none. */
export function projectStatusLabel({ projectStatus }: Pick<Task, "projectStatus">): string | null {
  if (projectStatus === null) return null;
  return projectStatus === "draft" ? "Save as draft" : "Publish";
}

/** Whether a task has only created a draft, which no visitor sees. */
export function isDraftSaved(task: Pick<Task, "status" | "projectStatus">): boolean {
  return task.status === "published" && task.projectStatus === "draft";
}

/** What happened to a task, as the end of a sentence. */
export function announcementOf(task: Pick<Task, "status" | "projectStatus">): string {
  return isDraftSaved(task) ? "saved as a draft" : statusAnnouncements[task.status];
}

/** The priorities, with the normal one in the middle. */
export const priorities = [
  { value: "-1", label: "Low" },
  { value: "0", label: "Normal" },
  { value: "1", label: "High" },
] as const;

/** A task's title, safe to show. */
export function titleOf(task: Pick<Task, "title" | "id">): string {
  return plainText(task.title).trim() || `Task #${task.id}`;
}

/**
 * The page that a task is about: the one it names, otherwise its project's, otherwise the first.
 */
export function pageOf(
  task: Pick<TaskDetail, "pageUrl" | "project" | "projectStatus" | "run">,
): string {
  if (task.pageUrl !== null) return task.pageUrl;
  if (task.projectStatus === "draft") return "/";
  const slug = task.project?.slug ?? (task.projectStatus === null ? null : newSlugOf(task.run));
  return slug === null ? "/" : `/projects/${slug}/`;
}

/** The slug of the project that a run creates; null if it creates none. */
function newSlugOf(run: Pick<TaskRun, "filesChanged"> | null): string | null {
  const slugs = (run?.filesChanged ?? []).map(({ path }) => /^projects\/([^/]+)$/.exec(path)?.[1]);
  return slugs.find((slug) => slug !== undefined) ?? null;
}

/** Who or what requested a task. */
export function originOf(task: Pick<Task, "actor" | "findingId">): string {
  if (task.findingId !== null) return `QA finding #${task.findingId}`;
  return plainText(task.actor);
}

/** "High priority"; null for the normal one. */
export function priorityLabel(priority: number): string | null {
  if (priority === 0) return null;
  return priority > 0 ? "High priority" : "Low priority";
}

/** "Attempt 2 of 3"; null for the first. */
export function attemptLabel(task: Pick<Task, "attempts" | "maxAttempts">): string | null {
  return task.attempts > 1 ? `Attempt ${task.attempts} of ${task.maxAttempts}` : null;
}

/** "€0.04", "cost 0.04" if the currency is unknown; null if nothing was spent. */
export function costLabel(run: Pick<TaskRun, "cost" | "currency"> | null): string | null {
  if (!run?.cost) return null;
  const sum = formatMoney(run.cost, run.currency);
  return run.currency ? sum : `cost ${sum}`;
}

/** "+9 −5 in 2 files", "+9 −5 in about.astro"; null if nothing was changed. */
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

/** Whether the task's run is still being stopped after the task was cancelled. */
export function isStopping(task: Pick<Task, "status" | "run">): boolean {
  return task.status === "cancelled" && task.run !== null && isActive(task.run.status);
}

/** Whether its change is being published. */
export function isPublishing(task: Pick<Task, "status" | "run" | "approvedAt">): boolean {
  if (task.status === "needs_review" && task.approvedAt !== null) return true;
  return task.status !== "published" && task.run?.status === "publishing";
}

/** The ID of a runner, a ULID. */
const runnerId = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The name of the worker other than a runner that holds the task; null if there is none. */
export function workerOf({ status, claimedBy }: Pick<Task, "status" | "claimedBy">): string | null {
  if (status !== "claimed" || claimedBy === null || runnerId.test(claimedBy)) return null;
  return plainText(claimedBy).trim() || "A worker";
}

/** The label of a task's state; a preview that was dropped is discarded, not cancelled. */
export function taskStatusLabel(
  task: Pick<Task, "status" | "run" | "approvedAt" | "claimedBy" | "projectStatus">,
): string {
  if (isDraftSaved(task)) return "Draft saved";
  if (isStopping(task)) return "Stopping…";
  if (workerOf(task) !== null) return statusLabels.building;
  if (task.status === "cancelled" && task.run?.status === "discarded") return "Discarded";
  return isPublishing(task) ? "Publishing…" : statusLabels[task.status];
}

/** What is happening with the task now; null if nothing is. */
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
