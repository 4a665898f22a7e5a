import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { findMediaBySrc } from "../../media/store.ts";
import { mediaAddresses } from "../gallery.ts";
import { nextPosition } from "../order-store.ts";
import { type ProjectFields, projectSchema, type ProjectWithBrief } from "../project.ts";
import { freeSlug, slugStem } from "../slug.ts";
import { listTakenSlugs } from "../slug-store.ts";
import { deleteProject, findProject, listAll, updateProject } from "../store.ts";
import { addProject, lockMedia } from "../write.ts";
import {
  createdFieldsOf,
  changesByProject,
  isSameValue,
  type NewDraft,
  newDrafts,
  type RecordChange,
  removedProjects,
  type RunField,
  wholeProject,
  withChanges,
} from "./change.ts";
import { newMedia } from "./stage-change.ts";
import { listChanges, lockProject, putChange } from "./store.ts";

/** A change of a run beside what the record says now. */
export interface ComparedChange extends RecordChange {
  /** The project as it is called now, or as the draft will be. */
  name: string;
  slug: string;
  /** The value that is stored now; null where there is no such project. */
  present: unknown;
  /** The record has become something else than what the run began with, and than what it wants. */
  isConflict: boolean;
}

/** What a conflict is about; the values are read with the run's changes. */
export interface RecordConflict {
  projectId: number | null;
  slug: string;
  name: string;
  field: string;
}

/** Records say something else than when the run read them, in the fields that the run changes. */
export class RecordsChanged extends AppError {
  readonly records: readonly RecordConflict[];

  /** `advice` is what the owner can do about it, in a sentence. */
  constructor(
    records: readonly RecordConflict[],
    advice = "Choose which version to keep, then publish again.",
  ) {
    const [first] = records;
    const more = records.length > 1 ? ` and ${records.length - 1} more` : "";
    const part = first?.field === wholeProject ? "the whole project" : `${first?.field} of`;
    const what = first ? `${part} “${first.name}”${more}` : "a record";
    super("conflict", `Records have changed since this run read them: ${what}. ${advice}`, {
      details: { records },
    });
    this.name = "RecordsChanged";
    this.records = records;
  }
}

function compareWhole(change: RecordChange, present: ProjectWithBrief | null): boolean {
  // A project is created whatever there is; one is removed again only as it was created.
  if (change.after !== null) return false;
  if (present === null) return false;
  const { status: created = "draft" } = change.before as NewDraft;
  const { status, audience, brief } = present;
  const isUntouched = status === created && audience === "everyone" && brief === "";
  return !isUntouched || !isSameValue(createdFieldsOf(present), change.before);
}

function compare(change: RecordChange, present: ProjectWithBrief | null): ComparedChange {
  const { field, before, after } = change;
  if (field === wholeProject) {
    const draft = (after ?? before) as NewDraft;
    const { name, slug } = present ?? draft;
    const value = present && createdFieldsOf(present);
    return { ...change, name, slug, present: value, isConflict: compareWhole(change, present) };
  }
  if (present === null) {
    return { ...change, name: "A deleted project", slug: "", present: null, isConflict: true };
  }
  const value = present[field];
  const isConflict = !isSameValue(value, before) && !isSameValue(value, after);
  return { ...change, name: present.name, slug: present.slug, present: value, isConflict };
}

/** A run's changes beside what the records say now. */
export async function compareChanges(
  db: Db,
  changes: readonly RecordChange[],
): Promise<ComparedChange[]> {
  const projects = new Map<number, ProjectWithBrief | null>();
  for (const { projectId } of changes) {
    if (projectId === null || projects.has(projectId)) continue;
    projects.set(projectId, await findProject(db, { id: projectId }));
  }
  return changes.map((change) => compare(change, projects.get(change.projectId ?? 0) ?? null));
}

/** Throws RecordsChanged where a record says something else than when the run read it. */
export async function assertNoConflicts(
  db: Db,
  changes: readonly RecordChange[],
  advice?: string,
): Promise<void> {
  const conflicts = (await compareChanges(db, changes)).filter(({ isConflict }) => isConflict);
  if (conflicts.length === 0) return;
  throw new RecordsChanged(
    conflicts.map(({ projectId, slug, name, field }) => ({ projectId, slug, name, field })),
    advice,
  );
}

/** Throws `conflict` where a run would show a file that has been deleted from the library since. */
async function assertMediaStored(db: Db, changes: readonly RecordChange[]): Promise<void> {
  const added = newDrafts(changes).flatMap(({ draft }) => mediaAddresses(draft));
  for (const [id, ofProject] of changesByProject(changes)) {
    const present = await findProject(db, { id });
    if (present) added.push(...newMedia(present, withChanges(present, ofProject)));
  }
  const stored = await findMediaBySrc(db, added);
  const missing = [...new Set(added.filter((src) => !stored.has(src)))];
  if (missing.length === 0) return;
  throw new AppError(
    "conflict",
    `This run would show ${missing.join(", ")}, which has been deleted from the library. Remove it from the change, then publish again.`,
  );
}

/**
 * In the transaction that begins a publish: holds the projects that the run changes, and throws
 * what `assertNoConflicts` does, and `conflict` for files that are no longer stored. From then on nobody else writes these fields until the publish is
 * over; see `assertNotReserved`.
 */
export async function reserveChanges(trx: Db, runId: string): Promise<void> {
  const changes = await listChanges(trx, runId);
  const ids = new Set(changes.flatMap(({ projectId }) => (projectId === null ? [] : [projectId])));
  // In one order, so that two of them never wait for each other.
  for (const id of [...ids].toSorted((a, b) => a - b)) await lockProject(trx, id);
  await assertNoConflicts(trx, changes);
  await assertMediaStored(trx, changes);
}

function newFields(draft: NewDraft): Omit<ProjectFields, "slug" | "position"> {
  const whole = projectSchema.parse({ status: "draft", ...draft, position: 0 });
  const { slug: _slug, position: _position, ...fields } = whole;
  return fields;
}

/** The address that the run has chosen, or one like it where somebody else has taken that since. */
async function findFreeSlug(db: Db, { slug }: NewDraft): Promise<string> {
  return freeSlug(slug, await listTakenSlugs(db, slugStem(slug)));
}

/** A gallery without what has been removed from the library since. */
export async function withStoredGallery<Fields extends Pick<ProjectFields, "gallery">>(
  db: Db,
  fields: Fields,
): Promise<Fields> {
  const stored = await findMediaBySrc(
    db,
    fields.gallery.map(({ src }) => src),
  );
  const gallery = fields.gallery.filter(({ src }) => stored.has(src));
  return gallery.length === fields.gallery.length ? fields : { ...fields, gallery };
}

async function applyToProject(
  trx: Db,
  id: number,
  changes: readonly (RecordChange & { field: RunField })[],
): Promise<void> {
  await lockProject(trx, id);
  const present = await findProject(trx, { id });
  if (present === null) return;
  const next = await withStoredGallery(trx, withChanges(present, changes));
  if (next === present) return;
  await updateProject(trx, next, next.updatedAt);
  await lockMedia(trx, next);
}

/**
 * In the transaction that ends a publish: writes what the run changes into the records. It doesn't
 * refuse anything, for the site shows the change already: `reserveChanges` has refused before.
 */
export async function applyChanges(trx: Db, runId: string): Promise<void> {
  const changes = await listChanges(trx, runId);
  const own = [...changesByProject(changes)].toSorted(([a], [b]) => a - b);
  for (const [id, ofProject] of own) await applyToProject(trx, id, ofProject);
  for (const { change, draft } of newDrafts(changes)) {
    const fields = await withStoredGallery(trx, newFields(draft));
    const slug = await findFreeSlug(trx, draft);
    const context = { at: change.changedAt, missingFiles: new Set<string>() };
    const project = await addProject(trx, { ...fields, slug }, context);
    // As it was stored, by which an undo knows that nobody has touched it since.
    const after = createdFieldsOf(project);
    await putChange(trx, runId, { ...change, projectId: project.id, after });
  }
  for (const id of removedProjects(changes)) await deleteProject(trx, { id });
}

/** The projects that a run creates, as they would be stored now. */
export async function listNewProjects(
  db: Db,
  changes: readonly RecordChange[],
): Promise<ProjectWithBrief[]> {
  const created = newDrafts(changes);
  if (created.length === 0) return [];
  const projects: ProjectWithBrief[] = [];
  let position = await nextPosition(db);
  for (const { change, draft } of created) {
    const fields = newFields(draft);
    const times = { createdAt: change.changedAt, updatedAt: change.changedAt };
    const slug = await findFreeSlug(db, draft);
    projects.push({ slug, ...fields, ...times, position, id: 0, version: 1 });
    position += 1;
  }
  return projects;
}

/**
 * All projects as they will be when a run's changes are applied to what is stored now: what a
 * publish writes into the repository.
 */
export async function listAllWithChanges(
  db: Db,
  changes: readonly RecordChange[],
): Promise<ProjectWithBrief[]> {
  const removed = removedProjects(changes);
  const projects = (await listAll(db))
    .filter(({ id }) => !removed.has(id))
    .map((project) => withChanges(project, changes));
  return [...projects, ...(await listNewProjects(db, changes))];
}
