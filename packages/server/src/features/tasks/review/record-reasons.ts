import type { Db } from "../../../platform/db/connect.ts";
import { textBeforeData } from "../../agent/prompts/untrusted-data.ts";
import {
  type NewDraft,
  newDrafts,
  type RecordChange,
  wholeProject,
} from "../../projects/run-changes/change.ts";
import { type ComparedChange, compareChanges } from "../../projects/run-changes/publish-changes.ts";
import { listChanges } from "../../projects/run-changes/store.ts";
import { listPublished, listRestricted } from "../../projects/store.ts";
import { findNamedProjects, findProjectOnPage } from "../../runs/site-context/subject-projects.ts";
import type { ReviewReason } from "../schema.ts";
import type { TaskRow } from "../store.ts";

const maxItems = 20;

type RecordTask = Pick<
  TaskRow,
  "kind" | "instruction" | "page_url" | "project_id" | "project_status"
>;

/** The public projects that a task is about: its page's, and those that it names. */
async function listTaskProjects(db: Db, task: RecordTask): Promise<Set<number>> {
  const words = task.kind === "qa-fix" ? "" : textBeforeData(task.instruction);
  const subject = await findProjectOnPage(db, task.page_url);
  const named = [subject, ...(await findNamedProjects(db, words))];
  const ids = new Set(named.flatMap((project) => (project === null ? [] : [project.id])));
  if (task.project_id !== null) ids.add(task.project_id);
  const published = await listPublished(db);
  const open = published.filter(({ audience }) => audience === "everyone").map(({ id }) => id);
  return new Set(open.filter((id) => ids.has(id)));
}

/** Whether the only change is the draft that the task asks for, which no visitor sees. */
function isAskedDraft({ project_status: asked }: RecordTask, changes: readonly RecordChange[]) {
  const [created] = newDrafts(changes);
  if (asked !== "draft" || changes.length > 1 || created === undefined) return false;
  return created.draft.status === undefined;
}

const labelOf = (created: unknown): string =>
  (created as NewDraft | null)?.status === "published" ? "the new project" : "the draft";

/** Names what has changed, at most `maxItems`. */
function itemsOf(changes: readonly ComparedChange[]): string[] {
  const items = changes.map(({ name, field, after }) =>
    field === wholeProject ? `${labelOf(after)} “${name}”` : `${field} of “${name}”`,
  );
  const more = items.length - maxItems + 1;
  return more > 1 ? [...items.slice(0, maxItems - 1), `and ${more} more`] : items;
}

/**
 * Why a run's record changes need review. Without review, it may change fields of published
 * projects that the task names, which are then judged by the built pages, and create the one draft
 * that the task asks for. Other drafts and projects are outside its scope. Restricted projects are
 * on no compared page, so their changes can't be judged.
 */
export async function recordReasons(
  db: Db,
  runId: string,
  task: RecordTask,
): Promise<ReviewReason[]> {
  const changes = await compareChanges(db, await listChanges(db, runId));
  if (changes.length === 0 || isAskedDraft(task, changes)) return [];
  const isNewProject = task.project_status !== null;
  const allowed = isNewProject ? new Set<number>() : await listTaskProjects(db, task);
  const outside = changes.filter(
    ({ projectId, field }) =>
      field === wholeProject || projectId === null || !allowed.has(projectId),
  );
  const restricted = new Set((await listRestricted(db)).map(({ id }) => id));
  const isHidden = ({ projectId }: RecordChange) => projectId !== null && restricted.has(projectId);
  const [hidden, others] = [outside.filter(isHidden), outside.filter((one) => !isHidden(one))];
  const reasons: ReviewReason[] = [];
  if (hidden.length > 0) {
    const message = "It changes projects that aren’t for everyone. Their pages can’t be compared.";
    reasons.push({ kind: "unchecked", message, items: itemsOf(hidden) });
  }
  if (others.length > 0) {
    const message =
      isNewProject && outside.length === 1
        ? "It publishes a new project."
        : "It changes project records that the task doesn’t name, or that aren’t published.";
    reasons.push({ kind: "scope", message, items: itemsOf(others) });
  }
  return reasons;
}
