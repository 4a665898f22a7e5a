import { basename, extname } from "node:path";
import { cleanText } from "../../../kit/text.ts";
import { isoTime } from "../../../kit/time.ts";
import type { JobFolder } from "./files.ts";
import { type Made, makeMedia, type Progress } from "./making.ts";
import { keptName, stemFor } from "./names.ts";
import { endJob, filesOf, type Shelf } from "./shelf.ts";
import { findMediaByHash, insertMedia, type Media, replaceMedia, updateMedia } from "../store.ts";

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
