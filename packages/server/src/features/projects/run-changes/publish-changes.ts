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

/** A run's change compared with the current record. */
export interface ComparedChange extends RecordChange {
  /** The project's current name, or the draft's. */
  name: string;
  slug: string;
  /** The stored value; null if there is no such project. */
  present: unknown;
  /** The record differs from what the run started with and from what it wants. */
  isConflict: boolean;
}

/** A conflict without its values, which are read with the run's changes. */
export interface RecordConflict {
  projectId: number | null;
  slug: string;
  name: string;
  field: string;
}

/** Records have changed, in fields that the run changes, since the run read them. */
export class RecordsChanged extends AppError {
  readonly records: readonly RecordConflict[];

  /** `advice` is a sentence that says what the owner can do. */
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
  // A project is always created; one is deleted again only if it is unchanged since its creation.
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

/** A run's changes compared with the current records. */
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

/** Throws RecordsChanged if a record has changed since the run read it. */
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

/** Throws `conflict` if a run would show a file that has been deleted from the library since. */
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
 * Call in the transaction that starts a publish: locks the projects that the run changes and throws
 * the errors of `assertNoConflicts`, and `conflict` for files that are no longer stored. From then
 * on, nobody else writes these fields until the publish has ended; see `assertNotReserved`.
 */
export async function reserveChanges(trx: Db, runId: string): Promise<void> {
  const changes = await listChanges(trx, runId);
  const ids = new Set(changes.flatMap(({ projectId }) => (projectId === null ? [] : [projectId])));
  // In a fixed order, so that two transactions never wait for each other.
  for (const id of [...ids].toSorted((a, b) => a - b)) await lockProject(trx, id);
  await assertNoConflicts(trx, changes);
  await assertMediaStored(trx, changes);
}

function newFields(draft: NewDraft): Omit<ProjectFields, "slug" | "position"> {
  const whole = projectSchema.parse({ status: "draft", ...draft, position: 0 });
  const { slug: _slug, position: _position, ...fields } = whole;
  return fields;
}

/** The slug that the run chose, or a similar one if it has been taken since. */
async function findFreeSlug(db: Db, { slug }: NewDraft): Promise<string> {
  return freeSlug(slug, await listTakenSlugs(db, slugStem(slug)));
}

/** A gallery without items removed from the library since. */
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
 * Call in the transaction that ends a publish: writes the run's changes to the records. It refuses
 * nothing, because the site already shows the changes; `reserveChanges` has checked before.
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
    // As stored, so that an undo can tell whether anybody has changed it since.
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
 * All projects with a run's changes applied to the current records: what a publish writes to the
 * repository.
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
