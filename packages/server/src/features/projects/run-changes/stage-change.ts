import type { z } from "zod";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { mediaAddresses } from "../gallery.ts";
import {
  type ProjectFields,
  projectFields,
  projectSchema,
  type ProjectWithBrief,
} from "../project.ts";
import { freeSlug, slugOf } from "../slug.ts";
import { findProject } from "../store.ts";
import {
  createdFieldsOf,
  isSameValue,
  type NewDraft,
  newDrafts,
  type RecordChange,
  type RunField,
  runFieldsOf,
  wholeProject,
} from "./change.ts";
import { deleteChange, listChanges, putChange } from "./store.ts";

/** Maximum drafts created by one run. */
const maxNewDrafts = 5;

function invalid(field: string, error: z.ZodError): AppError {
  const fields: Record<string, string> = {};
  for (const { path, message } of error.issues) fields[[field, ...path].join(".")] ??= message;
  const list = Object.entries(fields).map(([path, message]) => `${path} ${message}`);
  return new AppError("validation_failed", `Invalid: ${list.join("; ")}.`, { fields });
}

/**
 * A field's value, validated as in the project's form. Throws `validation_failed` with each
 * location.
 */
export function parseField(field: RunField, value: unknown): NewDraft[RunField] {
  const parsed = projectFields[field].safeParse(value);
  if (!parsed.success) throw invalid(field, parsed.error);
  return parsed.data;
}

export function recordOf(projectId: number): string {
  return `project:${projectId}`;
}

/** A project as a run sees it: stored, or a draft of the run. */
export interface StagedProject {
  /** Null for a draft created by the run. */
  projectId: number | null;
  record: string;
  fields: NewDraft;
}

/** The media in a value that the project doesn't show otherwise. */
export function newMedia(
  before: Pick<ProjectFields, "gallery" | "body">,
  after: Pick<ProjectFields, "gallery" | "body">,
): string[] {
  const known = new Set(mediaAddresses(before));
  return [...new Set(mediaAddresses(after))].filter((src) => !known.has(src));
}

async function stageOnDraft(
  trx: Db,
  runId: string,
  change: RecordChange,
  next: { field: RunField; value: unknown; at: string },
): Promise<boolean> {
  const draft = change.after as NewDraft;
  if (isSameValue(draft[next.field], next.value)) return false;
  const after = { ...draft, [next.field]: next.value };
  await putChange(trx, runId, { ...change, after, changedAt: next.at });
  return true;
}

/**
 * Stages a change of one field, in a transaction that has locked the run. The record's current
 * value cancels the change. `value` has been validated. False if nothing changes. `at` is ISO 8601
 * UTC.
 */
export async function stageField(
  trx: Db,
  runId: string,
  record: string,
  next: { field: RunField; value: unknown; at: string },
): Promise<boolean> {
  const changes = await listChanges(trx, runId);
  const draft = newDrafts(changes).find(({ change }) => change.record === record);
  if (draft) return stageOnDraft(trx, runId, draft.change, next);
  const { field, value: after, at: changedAt } = next;
  const projectId = Number(record.slice(record.indexOf(":") + 1));
  const project = await findProject(trx, { id: projectId });
  if (project === null) throw new AppError("not_found", "This project no longer exists.");
  const earlier = changes.find((change) => change.record === record && change.field === field);
  const present = project[field];
  if (isSameValue(earlier ? earlier.after : present, after)) return false;
  const before = earlier ? earlier.before : present;
  const change: RecordChange = { record, projectId, field, before, after, changedAt };
  if (isSameValue(before, after)) await deleteChange(trx, runId, change);
  else await putChange(trx, runId, change);
  return true;
}

/**
 * Stages the creation of a project, by default as a draft; `fields` have been validated. Returns it
 * with its slug. Throws `invalid_state` for more than five.
 */
export async function stageDraft(
  trx: Db,
  runId: string,
  input: {
    fields: Partial<NewDraft> & { name: string };
    /** Slugs of projects that the agent knows; avoiding others would reveal them. */
    takenSlugs: ReadonlySet<string>;
    isPublished?: boolean;
    at: string;
  },
): Promise<NewDraft> {
  const { fields, takenSlugs, isPublished = false, at } = input;
  const created = newDrafts(await listChanges(trx, runId));
  if (created.length >= maxNewDrafts) {
    throw new AppError("invalid_state", `A run can create at most ${maxNewDrafts} drafts.`);
  }
  const taken = new Set([...takenSlugs, ...created.map((one) => one.draft.slug)]);
  const slug = freeSlug(slugOf(fields.name), taken);
  const whole = projectSchema.parse({ ...fields, slug, status: "draft", position: 0 });
  const draft = runFieldsOf(whole);
  const after: NewDraft = isPublished ? { ...draft, status: "published" } : draft;
  const record = `new:${slug}`;
  await putChange(trx, runId, {
    record,
    projectId: null,
    field: wholeProject,
    before: null,
    after,
    changedAt: at,
  });
  return after;
}

/**
 * Throws `invalid_state` for a project that only its owner may delete: an undo deletes only those
 * with the status that the run gave them.
 */
function assertRemovable(
  { name, status, audience, brief }: ProjectWithBrief,
  { status: created = "draft" }: Partial<Pick<ProjectFields, "status">>,
): void {
  if (status === created && audience === "everyone" && brief === "") return;
  throw new AppError(
    "invalid_state",
    `The status, audience or private brief of “${name}” has changed since. Keep it, or delete it under Projects.`,
  );
}

/**
 * Resolves a conflict between a run and a record: `run` overwrites the record's current value,
 * `record` keeps it and drops the run's change. Throws `not_found` if there is no such change, and
 * `invalid_state` if the run would delete a project that is now the owner's.
 */
export async function resolveConflict(
  trx: Db,
  runId: string,
  { record, field, keep }: { record: string; field: string; keep: "run" | "record" },
): Promise<void> {
  const changes = await listChanges(trx, runId);
  const change = changes.find((one) => one.record === record && one.field === field);
  if (!change) throw new AppError("not_found", "This change isn't part of the run.");
  const { projectId } = change;
  const project = projectId === null ? null : await findProject(trx, { id: projectId });
  if (keep === "record" || project === null) return deleteChange(trx, runId, change);
  if (change.field === wholeProject) assertRemovable(project, change.before as NewDraft);
  const before = change.field === wholeProject ? createdFieldsOf(project) : project[change.field];
  await putChange(trx, runId, { ...change, before });
}
