import { basename, extname, join } from "node:path";
import { cleanText } from "../../../kit/text.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Limits } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { VideoConverter } from "../video/video-converter.ts";
import type { ImageResult } from "../image/protocol.ts";
import type { ImageWorkers } from "../image/workers.ts";
import { assertSize } from "../media-size.ts";
import { isSvg, readHead, requireMedia } from "../media-type.ts";
import {
  filesOf,
  findMediaByHash,
  insertMedia,
  type TranscodedMedia,
  type Media,
  updateMedia,
} from "../store.ts";
import { replaceMedia } from "../swap-store.ts";
import type { JobFolder } from "./files.ts";
import { sanitizeOriginalName, stemFor } from "./names.ts";
import { endJob, type LibraryContext } from "./library-context.ts";

interface Progress {
  status: "waiting" | "working";
  /** From 0 to 1; null if unknown. */
  fraction: number | null;
}

interface TranscodeInput {
  job: JobFolder;
  /** The size of the received file. */
  bytes: number;
  /** The beginning of the file names. */
  stem: string;
  /** Four digits: the folder of the files. */
  year: string;
  /** The type of the main image, for an item that is converted again under the same address. */
  mime: string | undefined;
  acceptsSvg: boolean;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

interface TranscodeResult {
  media: TranscodedMedia;
  warnings: string[];
}

interface Transcoders {
  limits: Limits["media"];
  images: ImageWorkers;
  videos: VideoConverter;
}

/** A converted image as an item's files in the folder of a year. */
export function toImageFiles(result: ImageResult, year: string): TranscodedMedia {
  const { file, variants, warnings: _warnings, frames: _frames, ...same } = result;
  return {
    ...same,
    kind: "image",
    src: `/media/${year}/${file}`,
    duration: null,
    poster: null,
    variants: variants.map((variant) => ({
      src: `/media/${year}/${variant.file}`,
      width: variant.width,
      bytes: variant.bytes,
    })),
  };
}

async function transcodeImage(
  images: ImageWorkers,
  input: TranscodeInput,
): Promise<TranscodeResult> {
  const { job, stem, year, mime, acceptsSvg, signal, onProgress } = input;
  const result = await images.convert({
    acceptsSvg,
    file: job.original,
    outDir: job.out,
    stem,
    signal,
    onStart: () => onProgress({ status: "working", fraction: null }),
    ...(mime === "image/webp" ? { output: "webp" } : {}),
    ...(mime === "image/jpeg" ? { output: "jpeg" } : {}),
  });
  return { media: toImageFiles(result, year), warnings: result.warnings };
}

async function transcodeVideo(
  { videos, images }: Transcoders,
  input: TranscodeInput,
): Promise<TranscodeResult> {
  const { job, stem, year, signal, onProgress } = input;
  const result = await videos.convert({
    file: job.original,
    outDir: job.out,
    stem,
    signal,
    onProgress: (fraction) => onProgress({ status: "working", fraction }),
  });
  const { file, poster, ...same } = result;
  const placeholder = await images.placeholder({ file: join(job.out, poster), signal });
  const media: TranscodedMedia = {
    ...same,
    kind: "video",
    src: `/media/${year}/${file}`,
    hasAlpha: false,
    animated: false,
    poster: `/media/${year}/${poster}`,
    placeholder,
    variants: [],
  };
  return { media, warnings: [] };
}

/**
 * Converts a received file in the job's folder, according to its content. Throws
 * `unsupported_media_type`, `too_large`, `bad_media`, or `unavailable`.
 */
async function transcode(
  transcoders: Transcoders,
  input: TranscodeInput,
): Promise<TranscodeResult> {
  const { limits, images } = transcoders;
  const head = await readHead(input.job.original);
  const kind = input.acceptsSvg && isSvg(head) ? "image" : requireMedia(head).kind;
  assertSize(limits, kind, input.bytes);
  input.onProgress({ status: "waiting", fraction: null });
  return kind === "image" ? transcodeImage(images, input) : transcodeVideo(transcoders, input);
}

/** A completely received file. */
export interface Upload {
  /** A path below the uploads folder. */
  file: string;
  originalName: string;
  bytes: number;
  /** SHA-256 of its bytes, 64 hex digits. */
  sha256: string;
  alt: string;
  /** Whether a drawing in SVG is taken, rendered: of imports alone. */
  acceptsSvg?: boolean;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
  /** Called in the transaction that stores the item; if it throws, nothing is stored. */
  onStored?(transaction: Db, ingested: Ingested): Promise<void>;
}

export interface Ingested {
  media: Media;
  /** False for a file that was stored already. */
  created: boolean;
  /** Problems with the file that didn't prevent storing it. */
  warnings: string[];
}

/**
 * The year and stem of the files: those of the item that is converted again, otherwise new ones.
 */
function addressFor(context: LibraryContext, upload: Upload, existing: Media | undefined) {
  if (existing === undefined) {
    const year = isoTime(context.clock.now()).slice(0, 4);
    return { year, stem: stemFor(upload.sha256, upload.originalName) };
  }
  const [, , year = ""] = existing.src.split("/");
  return { year, stem: basename(existing.src, extname(existing.src)) };
}

/** Inserts the row and notifies the site, in one transaction. */
async function record(
  context: LibraryContext,
  made: TranscodeResult,
  upload: Upload,
  existing: Media | undefined,
): Promise<Ingested> {
  const { media, warnings } = made;
  const row = {
    ...media,
    originalName: sanitizeOriginalName(upload.originalName),
    originalBytes: upload.bytes,
    sha256: upload.sha256,
    alt: cleanText(upload.alt),
    createdAt: isoTime(context.clock.now()),
  };
  return context.db.transaction().execute(async (transaction) => {
    const isNew = existing === undefined && (await insertMedia(transaction, row));
    if (existing !== undefined) await replaceMedia(transaction, existing.id, media);
    if (isNew || existing !== undefined) {
      await context.onChange(transaction, `${row.originalName} was added`);
    }
    const stored = await findMediaByHash(transaction, upload.sha256);
    if (stored === undefined) throw new Error(`${media.src} was stored and is gone`);
    const ingested = { media: stored, created: isNew, warnings };
    await upload.onStored?.(transaction, ingested);
    return ingested;
  });
}

async function transcodeAndPlace(
  context: LibraryContext,
  job: JobFolder,
  upload: Upload & { signal: AbortSignal },
  existing: Media | undefined,
): Promise<Ingested> {
  const { bytes, acceptsSvg = false, signal, onProgress = () => {} } = upload;
  const address = addressFor(context, upload, existing);
  const input = { ...address, job, bytes, mime: existing?.mime, acceptsSvg, signal, onProgress };
  const made = await transcode(context, input);
  signal.throwIfAborted();
  const intent = { src: made.media.src, files: filesOf(made.media) };
  await context.files.writeIntent(job, intent);
  await context.files.place(job, intent);
  return record(context, made, upload, existing);
}

/** Texts sent with an upload of an already stored item apply where it has none. */
async function describe(context: LibraryContext, existing: Media, { alt }: Upload): Promise<Media> {
  const text = cleanText(alt);
  if (existing.alt !== "" || text === "") return existing;
  await context.db.transaction().execute(async (transaction) => {
    await updateMedia(transaction, { id: existing.id, alt: text });
    await context.onChange(transaction, `${existing.originalName} was described`);
  });
  return { ...existing, alt: text };
}

/**
 * Stores a received file unless it is stored already; an item whose files are missing is converted
 * again.
 */
export async function ingest(
  context: LibraryContext,
  upload: Upload & { signal: AbortSignal },
): Promise<Ingested> {
  const { db, files, clock } = context;
  upload.signal.throwIfAborted();
  const existing = await findMediaByHash(db, upload.sha256);
  if (existing !== undefined && (await files.exist(filesOf(existing)))) {
    return { media: await describe(context, existing, upload), created: false, warnings: [] };
  }
  const job = await files.createJob(clock.now());
  try {
    await files.receive(job, upload.file);
    return await transcodeAndPlace(context, job, upload, existing);
  } finally {
    await endJob(context, job);
  }
}
