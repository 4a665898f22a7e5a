import { AppError } from "../../../kit/errors.ts";
import { allFilesOf } from "./avif-variants.ts";
import { endJob, type MediaUses, type LibraryContext } from "./library-context.ts";
import { deleteMedia, isForeignKeyViolation } from "../delete-store.ts";
import type { Media } from "../store.ts";

export function notFound(): AppError {
  return new AppError("not_found", "This file doesn't exist.");
}

export function changedConcurrently(): AppError {
  return new AppError("conflict", "Somebody else has changed this file. Load the page again.");
}

/** The error for an item that can't be removed. */
export function inUse(uses: MediaUses): AppError {
  const runs = uses.runs.map((id) => `the unpublished run ${id}`);
  const names = [...uses.projects.map((project) => project.name), ...uses.files, ...runs];
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  const by = names.length > 0 ? ` by ${names.slice(0, 3).join(", ")}${more}` : "";
  return new AppError("in_use", `The file is used${by}. Remove it there first.`, { details: uses });
}

/**
 * Removes an item: first its row, then its files, which were noted before. Throws `in_use`, or
 * `conflict` if it has changed since it was read.
 */
export async function removeMedia(context: LibraryContext, media: Media): Promise<void> {
  const { db, files, clock } = context;
  const job = await files.createJob(clock.now());
  try {
    await files.writeIntent(job, { src: media.src, files: allFilesOf(media) });
    await db.transaction().execute(async (transaction) => {
      const uses = await context.usesOf(transaction, media);
      if (Object.values(uses).some((places) => places.length > 0)) throw inUse(uses);
      // Otherwise, files that it has got since then would stay, and stay public.
      if (!(await deleteMedia(transaction, media.id, media.src))) throw changedConcurrently();
      await context.onChange(transaction, `${media.originalName} was deleted`);
    });
    await files.removeOriginals(media.id);
  } catch (error) {
    // The database refuses if a project has started to use the file in the meantime.
    throw isForeignKeyViolation(error) ? inUse({ projects: [], files: [], runs: [] }) : error;
  } finally {
    await endJob(context, job);
  }
}
