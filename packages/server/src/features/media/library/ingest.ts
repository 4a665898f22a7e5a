import { basename, extname, join } from "node:path";
import { cleanText } from "../../../kit/text.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Limits } from "../../../platform/config.ts";
import type { FilmMaker } from "../film/film.ts";
import type { ImageWorkers } from "../image/workers.ts";
import { assertSize } from "../media-size.ts";
import { readHead, requireMedia } from "../media-type.ts";
import {
  findMediaByHash,
  insertMedia,
  type MadeMedia,
  type Media,
  replaceMedia,
  updateMedia,
} from "../store.ts";
import type { JobFolder } from "./files.ts";
import { keptName, stemFor } from "./names.ts";
import { endJob, filesOf, type Shelf } from "./shelf.ts";

interface Progress {
  status: "waiting" | "working";
  /** From 0 to 1; null where nobody knows. */
  fraction: number | null;
}

interface Making {
  job: JobFolder;
  /** Of the received file. */
  bytes: number;
  /** What the names of the files begin with. */
  stem: string;
  /** Four digits: the folder that the files go to. */
  year: string;
  /** What the main picture was, for an item that is made again under the same address. */
  mime: string | undefined;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

interface Made {
  media: MadeMedia;
  warnings: string[];
}

interface Makers {
  limits: Limits["media"];
  images: ImageWorkers;
  films: FilmMaker;
}

async function makeImage(images: ImageWorkers, making: Making): Promise<Made> {
  const { job, stem, year, mime, signal, onProgress } = making;
  const result = await images.convert({
    file: job.original,
    outDir: job.out,
    stem,
    signal,
    onStart: () => onProgress({ status: "working", fraction: null }),
    ...(mime === "image/webp" ? { output: "webp" } : {}),
    ...(mime === "image/jpeg" ? { output: "jpeg" } : {}),
  });
  const { file, variants, warnings, frames: _frames, ...same } = result;
  const media: MadeMedia = {
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
  return { media, warnings };
}

async function makeFilm({ films, images }: Makers, making: Making): Promise<Made> {
  const { job, stem, year, signal, onProgress } = making;
  const result = await films.convert({
    file: job.original,
    outDir: job.out,
    stem,
    signal,
    onProgress: (fraction) => onProgress({ status: "working", fraction }),
  });
  const { file, poster, ...same } = result;
  const placeholder = await images.placeholder({ file: join(job.out, poster), signal });
  const media: MadeMedia = {
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
 * Makes of a received file what is stored, in the job's folder, by what its bytes say it is. Throws
 * `unsupported_media_type`, `too_large`, `bad_media` or `unavailable`.
 */
async function makeMedia(makers: Makers, making: Making): Promise<Made> {
  const { limits, images } = makers;
  const { kind } = requireMedia(await readHead(making.job.original));
  assertSize(limits, kind, making.bytes);
  making.onProgress({ status: "waiting", fraction: null });
  return kind === "image" ? makeImage(images, making) : makeFilm(makers, making);
}

/** A file that was received in full. */
export interface Upload {
  /** A path below the folder of uploads. */
  file: string;
  originalName: string;
  bytes: number;
  /** Of its bytes, 64 hex digits. */
  sha256: string;
  alt: string;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

export interface Ingested {
  media: Media;
  /** False for a file that was stored already. */
  created: boolean;
  /** What was wrong with the file although it could be taken. */
  warnings: string[];
}

/** Year and stem of what is made: those of the item that is made again, else new ones. */
function addressFor(shelf: Shelf, upload: Upload, known: Media | undefined) {
  if (known === undefined) {
    const year = isoTime(shelf.clock.now()).slice(0, 4);
    return { year, stem: stemFor(upload.sha256, upload.originalName) };
  }
  const [, , year = ""] = known.src.split("/");
  return { year, stem: basename(known.src, extname(known.src)) };
}

/** Writes the row of what was made and tells the site, in one transaction. */
async function record(
  shelf: Shelf,
  made: Made,
  upload: Upload,
  known: Media | undefined,
): Promise<Ingested> {
  const { media, warnings } = made;
  const row = {
    ...media,
    originalName: keptName(upload.originalName),
    originalBytes: upload.bytes,
    sha256: upload.sha256,
    alt: cleanText(upload.alt),
    createdAt: isoTime(shelf.clock.now()),
  };
  const created = await shelf.db.transaction().execute(async (transaction) => {
    const isNew = known === undefined && (await insertMedia(transaction, row));
    if (known !== undefined) await replaceMedia(transaction, known.id, media);
    if (isNew || known !== undefined) {
      await shelf.onChange(transaction, `${row.originalName} was added`);
    }
    return isNew;
  });
  const stored = await findMediaByHash(shelf.db, upload.sha256);
  if (stored === undefined) throw new Error(`${media.src} was stored and is gone`);
  return { media: stored, created, warnings };
}

async function makeAndPlace(
  shelf: Shelf,
  job: JobFolder,
  upload: Upload & { signal: AbortSignal },
  known: Media | undefined,
): Promise<Ingested> {
  const { bytes, signal, onProgress = () => {} } = upload;
  const address = addressFor(shelf, upload, known);
  const making = { ...address, job, bytes, mime: known?.mime, signal, onProgress };
  const made = await makeMedia(shelf, making);
  signal.throwIfAborted();
  const intent = { src: made.media.src, files: filesOf(made.media) };
  await shelf.files.intend(job, intent);
  await shelf.files.place(job, intent);
  return record(shelf, made, upload, known);
}

/** What an upload says of an item that is stored already counts where nothing was said before. */
async function describe(shelf: Shelf, known: Media, { alt }: Upload): Promise<Media> {
  const text = cleanText(alt);
  if (known.alt !== "" || text === "") return known;
  await shelf.db.transaction().execute(async (transaction) => {
    await updateMedia(transaction, { id: known.id, alt: text });
    await shelf.onChange(transaction, `${known.originalName} was described`);
  });
  return { ...known, alt: text };
}

/** Stores a received file unless it is stored already; an item whose files are gone is made again. */
export async function ingest(
  shelf: Shelf,
  upload: Upload & { signal: AbortSignal },
): Promise<Ingested> {
  const { db, files, clock } = shelf;
  upload.signal.throwIfAborted();
  const known = await findMediaByHash(db, upload.sha256);
  if (known !== undefined && (await files.areThere(filesOf(known)))) {
    return { media: await describe(shelf, known, upload), created: false, warnings: [] };
  }
  const job = await files.begin(clock.now());
  try {
    await files.take(job, upload.file);
    return await makeAndPlace(shelf, job, upload, known);
  } finally {
    await endJob(shelf, job);
  }
}
