import { basename, extname } from "node:path";
import { AppError, type ErrorCode } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { listMediaByAvif, markAvifReleased, saveAvif } from "../avif-store.ts";
import { filesOf, findMedia, type Media, type MediaVariant, usesOfMedia } from "../store.ts";
import { endJob, type LibraryContext } from "./library-context.ts";

// AVIF takes many times as long as WebP, so nobody waits for it: an upload is stored without, and its
// AVIF variants are made when nothing else goes on.

/** The reason of a rebuild that brings AVIF variants to the site; nobody waits for it. */
export const avifReason = "lighter images";

/** The files of an image that visitors get without AVIF, smallest first. */
function presentFiles(media: Media): { width: number; bytes: number }[] {
  const smaller = media.variants.filter(({ width }) => width < media.width);
  return [...smaller, { width: media.width, bytes: media.bytes }];
}

/** The names of AVIF variants, including those that a dead process may have left. */
export function possibleAvifFiles(media: Media): string[] {
  if (media.kind === "video") return [];
  const stem = media.src.slice(0, -extname(media.src).length);
  return presentFiles(media).map(({ width }) => `${stem}-${width}.avif`);
}

/** Errors that would be the same the next time: a damaged or missing file. */
const itsFault: ReadonlySet<ErrorCode> = new Set(["bad_media", "internal"]);

/**
 * Makes an image's AVIF variants and stores them. An image that can't be read or is missing gets none,
 * so that it doesn't hold up all others. An abort
 * throws the signal's reason and leaves the image as it was.
 */
export async function addAvif(
  context: LibraryContext,
  media: Media,
  signal: AbortSignal,
): Promise<MediaVariant[]> {
  const { db, files, clock, log, images } = context;
  const [, , year = ""] = media.src.split("/");
  const stem = basename(media.src, extname(media.src));
  if (!(await files.exist([media.src]))) {
    log.warn({ src: media.src }, "an image gets no AVIF variants because its file is missing");
    await saveAvif(db, media, []);
    return [];
  }
  const job = await files.createJob(clock.now());
  try {
    const source = { file: files.fileOf(media.src), outDir: job.out, stem };
    const made = await images
      .makeAvif({ ...source, present: presentFiles(media), signal })
      .catch((error: unknown) => {
        const isItsFault = error instanceof AppError && itsFault.has(error.code);
        if (signal.aborted || !isItsFault) throw error;
        log.warn({ err: error, src: media.src }, "an image gets no AVIF variants");
        return [];
      });
    signal.throwIfAborted();
    const variants = made.map(({ file, width, bytes }) => ({
      src: `/media/${year}/${file}`,
      width,
      bytes,
    }));
    const intent = { src: media.src, files: variants.map(({ src }) => src) };
    await files.writeIntent(job, intent);
    await files.place(job, intent);
    await saveAvif(db, media, variants);
    return variants;
  } finally {
    await endJob(context, job);
  }
}

/** Makes an item's AVIF variants, unless it has some, can't have any, or is gone. */
export async function addMissingAvif(
  context: LibraryContext,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  const media = await findMedia(context.db, id);
  if (media === undefined) return;
  const isDone = media.kind === "video" || media.animated || media.avif.length > 0;
  if (isDone) await saveAvif(context.db, media, media.avif);
  else await addAvif(context, media, signal);
}

/** The next image without AVIF variants. */
export async function findNextForAvif(db: Db): Promise<Media | null> {
  return (await listMediaByAvif(db, "pending", 1))[0] ?? null;
}

/** How many images become part of one release at most. */
const maxReleased = 500;

/**
 * Requests one rebuild for all AVIF variants that the site doesn't show yet, unless no project shows
 * these images. Returns whether it did.
 */
export async function releaseAvif({
  db,
  onChange,
}: Pick<LibraryContext, "db" | "onChange">): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const made = await listMediaByAvif(transaction, "unreleased", maxReleased);
    const ids = made.map(({ id }) => id);
    if (ids.length === 0) return false;
    const uses = await usesOfMedia(transaction, ids);
    await markAvifReleased(transaction, ids);
    if (uses.size > 0) await onChange(transaction, avifReason);
    return uses.size > 0;
  });
}

/** All files that may belong to an item. */
export function allFilesOf(media: Media): string[] {
  return [...new Set([...filesOf(media), ...possibleAvifFiles(media)])];
}
