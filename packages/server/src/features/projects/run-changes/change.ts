import { type RecordField, recordFields } from "../../agent/records.ts";
import type { Project, ProjectFields, ProjectWithBrief } from "../project.ts";

/**
 * The fields that a run may change. Only the owner changes the address, status, audience, private
 * notes, and the order of projects.
 */
export const runFields = recordFields satisfies readonly (keyof ProjectFields)[];
export type RunField = RecordField;

/** Means a whole project: one that a run creates, or that an undo deletes again. */
export const wholeProject = "*";

/** One field of a project as a run found it and as the run leaves it. */
export interface RecordChange {
  /** `project:12`, or `new:a-name` for a draft created by the run. */
  record: string;
  /** Null for a draft that doesn't exist yet. */
  projectId: number | null;
  field: RunField | typeof wholeProject;
  /** For a whole project, null means that it didn't or won't exist. */
  before: unknown;
  after: unknown;
  /** ISO 8601 UTC. */
  changedAt: string;
}

/**
 * A project as a run creates it: a draft unless `published`, which no agent decides. Its slug may
 * change if it is taken by then.
 */
export type NewDraft = Pick<ProjectFields, RunField | "slug"> & { status?: "published" };

/** Whether two values of a field are the same. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The changes to single fields, by project ID. */
export function changesByProject(
  changes: readonly RecordChange[],
): Map<number, (RecordChange & { field: RunField })[]> {
  const found = new Map<number, (RecordChange & { field: RunField })[]>();
  for (const change of changes) {
    const { projectId, field } = change;
    if (projectId === null || field === wholeProject) continue;
    found.set(projectId, [...(found.get(projectId) ?? []), { ...change, field }]);
  }
  return found;
}

/** When a project was last changed, by its record and by a run's changes. */
function latest(updatedAt: string, changes: readonly RecordChange[]): string {
  const times = changes.map(({ changedAt }) => changedAt);
  return [updatedAt, ...times].toSorted().at(-1) ?? updatedAt;
}

/** A project with a run's changes applied to its current state. */
export function withChanges<Stored extends Project>(
  project: Stored,
  changes: readonly RecordChange[],
): Stored {
  const own = changesByProject(changes).get(project.id) ?? [];
  const news = own.filter(({ field, after }) => !isSameValue(project[field], after));
  if (news.length === 0) return project;
  const fields = Object.fromEntries(news.map(({ field, after }) => [field, after]));
  return { ...project, ...fields, updatedAt: latest(project.updatedAt, news) };
}

/** The projects that a run creates. */
export function newDrafts(
  changes: readonly RecordChange[],
): { change: RecordChange; draft: NewDraft }[] {
  return changes
    .filter(({ field, after }) => field === wholeProject && after !== null)
    .map((change) => ({ change, draft: change.after as NewDraft }));
}

/** The IDs of the projects that an undo deletes. */
export function removedProjects(changes: readonly RecordChange[]): Set<number> {
  const removed = changes.filter(({ field, after }) => field === wholeProject && after === null);
  return new Set(removed.flatMap(({ projectId }) => (projectId === null ? [] : [projectId])));
}

/** The fields of a project that a run may change. */
export function runFieldsOf(project: ProjectWithBrief | ProjectFields | Project): NewDraft {
  const entries = ["slug" as const, ...runFields].map((field) => [field, project[field]]);
  return Object.fromEntries(entries) as NewDraft;
}

/** A stored project as a run would have created it. */
export function createdFieldsOf(project: ProjectWithBrief): NewDraft {
  const fields = runFieldsOf(project);
  return project.status === "published" ? { ...fields, status: "published" } : fields;
}
