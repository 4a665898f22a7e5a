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

/** The most drafts that one run creates. */
const maxNewDrafts = 5;

function invalid(field: string, error: z.ZodError): AppError {
  const fields: Record<string, string> = {};
  for (const { path, message } of error.issues) fields[[field, ...path].join(".")] ??= message;
  const list = Object.entries(fields).map(([path, message]) => `${path} ${message}`);
  return new AppError("validation_failed", `Invalid: ${list.join("; ")}.`, { fields });
}

/** A field's value by the rules of the project's form. Throws `validation_failed` naming each place. */
export function parseField(field: RunField, value: unknown): NewDraft[RunField] {
  const parsed = projectFields[field].safeParse(value);
  if (!parsed.success) throw invalid(field, parsed.error);
  return parsed.data;
}

export function recordOf(projectId: number): string {
  return `project:${projectId}`;
}

/** A project as a run has it: stored, or a draft of its own. */
export interface StagedProject {
  /** Null for a draft that the run creates. */
  projectId: number | null;
  record: string;
  fields: NewDraft;
}

/** The media that a value names and the project does not name without it. */
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
 * Notes what a run changes of one field, in a transaction that holds the run. A value that the record
 * has already takes the change back. `value` has been checked. False where nothing changes. `at` is
 * ISO 8601 UTC.
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
 * Notes that a run creates a project, a draft unless `isPublished`; `fields` have been checked. Gives
 * it with its slug. Throws `invalid_state` for more than five.
 */
export async function stageDraft(
  trx: Db,
  runId: string,
  input: {
    fields: Partial<NewDraft> & { name: string };
    /** Those of projects that the agent knows; others give way to no name, or they would show. */
    takenSlugs: ReadonlySet<string>;
    isPublished?: boolean;
    at: string;
  },
): Promise<NewDraft> {
  const { fields, takenSlugs, isPublished = false, at } = input;
  const created = newDrafts(await listChanges(trx, runId));
  if (created.length >= maxNewDrafts) {
    throw new AppError("invalid_state", `A run creates at most ${maxNewDrafts} drafts.`);
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
 * Throws `invalid_state` for a project that only its owner deletes: an undo removes what has the status
 * that the run gave it.
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
 * Decides a conflict of a run with its record: `run` writes the run's value over what the record says
 * now, `record` leaves the record as it is and drops the run's change. Throws `not_found` for a
 * change that there isn't, and `invalid_state` where the run would remove what is the owner's by now.
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
