import { basename, join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { sha256Hex } from "../../../kit/hash.ts";
import { isoTime } from "../../../kit/time.ts";
import {
  type CropArea,
  filesOf,
  findMedia,
  type FocalPoint,
  isCentered,
  type Media,
  type TranscodedMedia,
} from "../store.ts";
import { deleteMedia, isForeignKeyViolation } from "../delete-store.ts";
import { type MediaSwap, swapMedia } from "../swap-store.ts";
import { allFilesOf } from "./avif-variants.ts";
import type { JobFolder } from "./files.ts";
import { toImageFiles } from "./ingest.ts";
import { endJob, type LibraryContext } from "./library-context.ts";
import { stemFor } from "./names.ts";
import { changedConcurrently, inUse, notFound } from "./remove.ts";

// An item whose files change gets other addresses, because browsers keep a file forever under its
// address. What shows the item follows: projects in the same transaction, the site's source in the
// next rebuild.

const center: FocalPoint = { x: 50, y: 50 };

/** Runs that aren't published yet name files by their address, so they go first. */
async function assertNoRuns(context: LibraryContext, trx: LibraryContext["db"], media: Media) {
  const { runs } = await context.usesOf(trx, media);
  if (runs.length > 0) throw inUse({ projects: [], files: [], runs });
}

/** What is done in the transaction that gives an item its new files. */
async function swapIn(
  context: LibraryContext,
  trx: LibraryContext["db"],
  media: Media,
  { swap, reason }: { swap: MediaSwap; reason: string },
): Promise<Media> {
  await assertNoRuns(context, trx, media);
  if (!(await swapMedia(trx, media, swap))) throw changedConcurrently();
  const after = await findMedia(trx, media.id);
  if (after === undefined) throw notFound();
  await context.onAddressChange(trx, media, after);
  await context.onChange(trx, reason);
  return after;
}

/** Runs the transaction; then the item's present files are removed, unless it failed. */
async function retiring<T>(
  context: LibraryContext,
  media: Media,
  transact: () => Promise<T>,
): Promise<T> {
  const { files, clock } = context;
  const retired = await files.createJob(clock.now());
  try {
    await files.writeIntent(retired, { src: media.src, files: allFilesOf(media) });
    return await transact();
  } finally {
    await endJob(context, retired);
  }
}

/** Stores what is in the job's folder as the item's new files. */
async function placeAndSwap(
  context: LibraryContext,
  job: JobFolder,
  media: Media,
  change: { swap: MediaSwap; reason: string },
): Promise<Media> {
  const { db, files } = context;
  const { swap } = change;
  const intent = { src: swap.src, files: filesOf(swap) };
  await files.writeIntent(job, intent);
  await files.place(job, intent);
  return retiring(context, media, () =>
    db.transaction().execute((trx) => swapIn(context, trx, media, change)),
  );
}

function filesAlone(media: Media): TranscodedMedia {
  const { kind, src, mime, bytes, width, height, duration, hasAlpha, animated } = media;
  const { poster, placeholder, variants, avif } = media;
  const facts = { kind, src, mime, bytes, width, height, duration, hasAlpha, animated };
  return { ...facts, poster, placeholder, variants, avif };
}

/** Throws if a part of an item can't be kept alone, with the reason. */
function assertCroppable(media: Media, whole: TranscodedMedia, area: CropArea): void {
  if (media.kind === "video" || media.animated) {
    const what = media.kind === "video" ? "Videos" : "Animations";
    throw new AppError("invalid_state", `${what} can't be cropped.`);
  }
  const fields: Record<string, string> = {};
  if (area.x + area.width > whole.width) fields["crop.width"] = "must end within the image";
  if (area.y + area.height > whole.height) fields["crop.height"] = "must end within the image";
  if (Object.keys(fields).length > 0) {
    throw new AppError("validation_failed", "The area must be within the image.", { fields });
  }
}

/** The same place of the whole image within a part of it; its center if it is outside. */
function focalIn(whole: TranscodedMedia, area: CropArea, point: FocalPoint): FocalPoint {
  if (isCentered(point)) return center;
  const x = Math.round((((point.x / 100) * whole.width - area.x) / area.width) * 100);
  const y = Math.round((((point.y / 100) * whole.height - area.y) / area.height) * 100);
  return x < 0 || x > 100 || y < 0 || y > 100 ? center : { x, y };
}

/**
 * Keeps a part of an image: its files are made of the image as it was stored first, which is kept
 * apart, so that cutting again loses nothing and can be undone. Throws `invalid_state` for videos and
 * animations, `validation_failed`, `in_use` for files in unpublished runs, and the errors of `ingest`.
 */
export async function cropMedia(
  context: LibraryContext,
  media: Media,
  { area, signal }: { area: CropArea; signal: AbortSignal },
): Promise<Media> {
  const { files, images, clock } = context;
  const whole = media.uncropped?.media ?? filesAlone(media);
  const focalPoint = media.uncropped?.focalPoint ?? media.focalPoint;
  assertCroppable(media, whole, area);
  const job = await files.createJob(clock.now());
  try {
    const { x, y, width, height } = area;
    const hash = sha256Hex(`${media.sha256} ${whole.src} ${x} ${y} ${width} ${height}`);
    const file = media.uncropped
      ? join(files.originalsOf(media.id), basename(whole.src))
      : files.fileOf(whole.src);
    const stem = stemFor(hash, media.originalName);
    const result = await images.convert({ file, outDir: job.out, stem, crop: area, signal });
    signal.throwIfAborted();
    if (!media.uncropped) await files.keepOriginals(media.id, filesOf(whole));
    const made = toImageFiles(result, isoTime(clock.now()).slice(0, 4));
    if (made.src === media.src) return media;
    const uncropped = { media: whole, focalPoint, crop: area };
    const swap = { ...made, focalPoint: focalIn(whole, area, focalPoint), uncropped };
    return await placeAndSwap(context, job, media, {
      swap,
      reason: `${media.originalName} was cropped`,
    });
  } finally {
    await endJob(context, job);
  }
}

/** Gives an image its whole area back, exactly as it was before it was cropped. */
export async function uncropMedia(context: LibraryContext, media: Media): Promise<Media> {
  const { files, clock } = context;
  if (media.uncropped === null) return media;
  const job = await files.createJob(clock.now());
  try {
    await files.takeOriginals(media.id, job).catch((cause: unknown) => {
      const message = "The whole image isn't stored any more. Upload it again to replace this one.";
      throw new AppError("invalid_state", message, { cause });
    });
    const { media: whole, focalPoint } = media.uncropped;
    const swap = { ...whole, focalPoint, uncropped: null };
    const reason = `${media.originalName} was shown whole again`;
    const after = await placeAndSwap(context, job, media, { swap, reason });
    await files.removeOriginals(media.id);
    return after;
  } finally {
    await endJob(context, job);
  }
}

/** How much the shapes of two images may differ so that a focal point stays sensible. */
const sameShape = 0.02;

function focalOfReplacement(media: Media, other: Media): FocalPoint {
  if (!isCentered(other.focalPoint)) return other.focalPoint;
  const change = (other.width / other.height) * (media.height / media.width);
  return Math.abs(change - 1) <= sameShape ? media.focalPoint : center;
}

/**
 * Gives an item the file of another one, which nothing uses and which is then gone. The item's texts
 * and uses stay. Throws `invalid_state` for an image and a video, and `in_use`.
 */
export async function replaceMediaFile(
  context: LibraryContext,
  media: Media,
  other: Media,
): Promise<Media> {
  const { db, files } = context;
  if (media.kind !== other.kind) {
    const message = `Replace ${media.kind === "image" ? "an image with an image" : "a video with a video"}.`;
    throw new AppError("invalid_state", message);
  }
  const { originalName, originalBytes, sha256, uncropped } = other;
  const swap: MediaSwap = {
    ...filesAlone(other),
    focalPoint: focalOfReplacement(media, other),
    uncropped: null,
    file: { originalName, originalBytes, sha256 },
  };
  const reason = `${media.originalName} was replaced`;
  const after = await retiring(context, media, () =>
    db.transaction().execute(async (trx) => {
      const uses = await context.usesOf(trx, other);
      if (Object.values(uses).some((places) => places.length > 0)) throw inUse(uses);
      if (!(await deleteMedia(trx, other.id, other.src))) throw changedConcurrently();
      return swapIn(context, trx, media, { swap, reason });
    }),
  ).catch((error: unknown) => {
    throw isForeignKeyViolation(error) ? inUse({ projects: [], files: [], runs: [] }) : error;
  });
  if (uncropped !== null) await files.removeOriginals(other.id);
  await files.removeOriginals(media.id);
  return after;
}
