import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { restrictMedia } from "../media/restricted-store.ts";
import { findMediaBySrc } from "../media/store.ts";
import { notFound, withMedia } from "./detail.ts";
import { assertStored, galleryMedia, mediaAddresses } from "./gallery.ts";
import { type ProjectWithBrief, projectSchema } from "./project.ts";
import type { ProjectCreate, ProjectDelete, ProjectSave, StaleProject } from "./schema.ts";
import { freeSlug, slugOf, slugStem } from "./slug.ts";
import { nextPosition } from "./order-store.ts";
import { assertNotReserved } from "./run-changes/reserved.ts";
import { deleteRedirect, findIdBySlug, listTakenSlugs, writeRedirect } from "./slug-store.ts";
import {
  deleteProject,
  findProject,
  insertProject,
  type ProjectTimes,
  updateProject,
  writeUses,
} from "./store.ts";

/** The time of a change, and gallery addresses without a file. */
interface ChangeContext {
  /** ISO 8601 UTC. */
  at: string;
  /** For a new project imported from elsewhere; defaults to `at`. */
  times?: ProjectTimes;
  missingFiles: ReadonlySet<string>;
}

export function slugTaken(slug: string): AppError {
  const fields = { slug: "is the address of another project" };
  return new AppError("already_exists", `Another project has the slug ${slug}.`, { fields });
}

/** Maximum bytes of a record in an error, as JSON; errors are short. */
const maxCurrentBytes = 12 * 1024;

async function staleVersion(db: Db, present: ProjectWithBrief, yours: number): Promise<AppError> {
  const { version } = present;
  const detail = await withMedia(db, present);
  const isShort = Buffer.byteLength(JSON.stringify(detail)) <= maxCurrentBytes;
  const details: StaleProject = { version, yours, current: isShort ? detail : null };
  const message = `Someone else changed this project: it is at version ${version}, not ${yours}.`;
  return new AppError("stale_version", message, { details });
}

/** The project at this version, or at any. Throws `not_found`, `stale_version`. */
async function requireProject(
  db: Db,
  which: { id: number; version?: number | undefined },
): Promise<ProjectWithBrief> {
  const present = await findProject(db, { id: which.id });
  if (present === null) throw notFound();
  const { version = present.version } = which;
  if (present.version !== version) throw await staleVersion(db, present, version);
  return present;
}

/** For a project that has changed or disappeared since it was read. */
async function concurrentChangeError(
  db: Db,
  which: { id: number; version: number },
): Promise<AppError> {
  const present = await findProject(db, { id: which.id });
  return present === null ? notFound() : staleVersion(db, present, which.version);
}

/**
 * Locks the project's media, so that they can't be deleted or restricted to others. Throws
 * `validation_failed` if the gallery contains media deleted since the last check.
 */
export async function lockMedia(db: Db, project: ProjectWithBrief): Promise<void> {
  const media = await findMediaBySrc(db, mediaAddresses(project));
  assertStored(project.gallery, media);
  const ids = Array.from(media.values(), (item) => item.id);
  await writeUses(db, project.id, ids);
  if (project.audience !== "everyone") await restrictMedia(db, ids);
}

/** Inserts a project under its slug, or under a free one made from its name. */
async function insertNamed(
  db: Db,
  { slug, ...fields }: ProjectCreate,
  times: ProjectTimes,
): Promise<ProjectWithBrief> {
  const base = slug ?? slugOf(fields.name);
  const status = fields.status ?? "draft";
  const position = await nextPosition(db);
  const taken = slug === undefined ? await listTakenSlugs(db, slugStem(base)) : new Set<string>();
  for (;;) {
    const chosen = freeSlug(base, taken);
    const project = projectSchema.parse({ ...fields, slug: chosen, status, position });
    const id = await insertProject(db, project, times);
    if (id !== null) return { ...project, ...times, id, version: 1 };
    if (slug !== undefined) throw slugTaken(slug);
    // Somebody else has inserted it since the check.
    taken.add(chosen);
  }
}

/**
 * Inserts a project at the end, by default as a draft. Throws `already_exists` if a given slug is
 * taken, `validation_failed` for a gallery with media that aren't stored.
 */
export async function addProject(
  db: Db,
  fields: ProjectCreate,
  { at, times = { createdAt: at, updatedAt: at }, missingFiles }: ChangeContext,
): Promise<ProjectWithBrief> {
  await galleryMedia(db, fields.gallery ?? [], missingFiles);
  const project = await insertNamed(db, fields, times);
  await deleteRedirect(db, project.slug);
  await lockMedia(db, project);
  return project;
}

/** The project with the change applied; null if it stays the same. */
function changed(present: ProjectWithBrief, change: ProjectSave): ProjectWithBrief | null {
  const { id: _id, version: _version, ...fields } = change;
  const given = Object.entries(fields).filter(([name, value]) => {
    const before = present[name as keyof typeof fields];
    return value !== undefined && JSON.stringify(value) !== JSON.stringify(before);
  });
  return given.length === 0 ? null : { ...present, ...Object.fromEntries(given) };
}

async function assertSlugFree(db: Db, { slug, id }: ProjectWithBrief): Promise<void> {
  const ownerId = await findIdBySlug(db, slug);
  if (ownerId !== null && ownerId !== id) throw slugTaken(slug);
}

/**
 * Saves a change; `written` is false if there was none. Throws the errors of `addProject`,
 * `not_found`, and `stale_version` with the current record.
 */
export async function changeProject(
  db: Db,
  change: ProjectSave,
  { at, missingFiles }: ChangeContext,
): Promise<{ before: ProjectWithBrief; project: ProjectWithBrief; written: boolean }> {
  const present = await requireProject(db, change);
  const next = changed(present, change);
  if (next === null) return { before: present, project: present, written: false };
  const isGalleryNew = next.gallery !== present.gallery;
  if (isGalleryNew) await galleryMedia(db, next.gallery, missingFiles);
  if (next.slug !== present.slug) await assertSlugFree(db, next);
  if (!(await updateProject(db, next, at))) throw await concurrentChangeError(db, change);
  await assertNotReserved(db, present, next);
  const isOtherwiseUsed = isGalleryNew || next.body !== present.body;
  if (isOtherwiseUsed || next.audience !== present.audience) await lockMedia(db, next);
  if (next.slug !== present.slug) {
    await deleteRedirect(db, next.slug);
    await writeRedirect(db, { slug: present.slug, projectId: next.id, at });
  }
  const project = { ...next, version: present.version + 1, updatedAt: at };
  return { before: present, project, written: true };
}

/** Deletes a project permanently and returns it. Throws `not_found`, `stale_version`. */
export async function removeProject(db: Db, which: ProjectDelete): Promise<ProjectWithBrief> {
  const present = await requireProject(db, which);
  const { id, version = present.version } = which;
  if (!(await deleteProject(db, which))) throw await concurrentChangeError(db, { id, version });
  await assertNotReserved(db, present, null);
  return present;
}
