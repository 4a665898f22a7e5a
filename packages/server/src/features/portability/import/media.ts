import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";
import { undefinedIfMissing, removeTree, writeFileAtomic } from "../../../platform/files.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { MediaLibrary } from "../../media/library/library.ts";
import { findMediaByHash, type Media } from "../../media/store.ts";
import { type Folder, openFile } from "../folder/folder.ts";
import { isSvgName } from "../folder/media-names.ts";
import type { Problem } from "../problem.ts";
import type { SourceMediaFile } from "./media-files.ts";

export interface ImportMediaDependencies {
  db: Db;
  /** A file that no other process uses. */
  library: Pick<MediaLibrary, "ingest" | "remove">;
  /**
   * The import's own folder, for copies before they are inspected and for the list of unfinished
   * images.
   */
  workDir: string;
  onProgress?(done: number, of: number): void;
}

/** Errors that concern a single image and don't stop the others. */
const mediaErrorCodes: ReadonlySet<string> = new Set([
  "bad_media",
  "conflict",
  "too_large",
  "unsupported_media_type",
]);

/** The images of a running or killed import. */
export const startedFile = (workDir: string) => join(workDir, "begun.json");

/** The folder for copies that are about to be inspected. */
export const uploadsFolder = (workDir: string) => join(workDir, "uploads");

/** Removes files stored for records that were never written, except those in use. */
async function withdraw(
  { db, library }: ImportMediaDependencies,
  hashes: Iterable<string>,
): Promise<void> {
  for (const sha256 of hashes) {
    const media = await findMediaByHash(db, sha256);
    if (media === undefined) continue;
    await library.remove(media.id).catch((error: unknown) => {
      const isUsed = error instanceof AppError && ["in_use", "not_found"].includes(error.code);
      if (!isUsed) throw error;
    });
  }
}

/**
 * Removes the images of a killed import except those that are still needed, and returns these: they
 * stay listed as unfinished until records use them.
 */
export async function removeInterruptedMedia(
  deps: ImportMediaDependencies,
  again: ReadonlySet<string>,
): Promise<Set<string>> {
  const text = await undefinedIfMissing(readFile(startedFile(deps.workDir), "utf8"));
  const started = new Set(text === undefined ? [] : (parseJson(text) as string[]));
  await withdraw(deps, started.difference(again));
  return started.intersection(again);
}

/** Copies a file of the folder to where the library may take it; the hash is that of the copy. */
async function copyIn(folder: Folder, image: SourceMediaFile, dir: string) {
  const file = join(dir, `copy-${randomBytes(8).toString("hex")}`);
  const handle = await openFile(folder, image.path);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    await pipeline(
      handle.createReadStream({ start: 0, autoClose: false }),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          bytes += chunk.length;
          if (bytes > image.bytes) break;
          yield chunk;
        }
      },
      createWriteStream(file, { flags: "wx", mode: 0o600 }),
    );
  } finally {
    await handle.close();
  }
  if (bytes !== image.bytes || hash.digest("hex") !== image.sha256) {
    await removeTree(file);
    throw new AppError("conflict", `${image.path} changed while it was being read. Import again.`);
  }
  return file;
}

/** The images that are now stored. */
export interface ImportedMedia {
  /** By the path in the folder. */
  media: Map<string, Media>;
  /** Problems of images that were imported nevertheless. */
  problems: Problem[];
  /** Why images couldn't be imported, by path. */
  failed: Map<string, string>;
  /** Removes newly stored images. */
  undo(): Promise<void>;
  /** Marks them as used by records, so that they are kept. */
  keep(): Promise<void>;
}

/**
 * Stores images in the same way as an upload. `altOf` returns the alt text of a path;
 * `started` are images that a killed import has stored and that no record uses yet. Images that
 * can't be imported are reported, and the others are imported.
 */
export async function importMedia(
  deps: ImportMediaDependencies,
  folder: Folder,
  images: readonly SourceMediaFile[],
  { altOf, started }: { altOf(path: string): string; started: ReadonlySet<string> },
): Promise<ImportedMedia> {
  const { db, library, workDir } = deps;
  const byHash = Map.groupBy(images, ({ sha256 }) => sha256);
  const fresh = [...started];
  for (const sha256 of byHash.keys()) {
    const isKnown = started.has(sha256) || (await findMediaByHash(db, sha256)) !== undefined;
    if (!isKnown) fresh.push(sha256);
  }
  await mkdir(uploadsFolder(workDir), { recursive: true });
  await writeFileAtomic(startedFile(deps.workDir), JSON.stringify(fresh));
  const keep = () => removeTree(startedFile(deps.workDir));
  const created = new Set(started);
  const undo = async () => {
    await withdraw(deps, created);
    await keep();
  };
  const media = new Map<string, Media>();
  const problems: Problem[] = [];
  const failed = new Map<string, string>();
  let unexpected: unknown;
  const importOne = async ([first, ...others]: SourceMediaFile[]) => {
    if (first === undefined || unexpected !== undefined) return;
    const { bytes, sha256, path } = first;
    try {
      const file = await copyIn(folder, first, uploadsFolder(workDir));
      const words = { originalName: basename(path), alt: altOf(path) };
      const stored = await library.ingest({
        file,
        bytes,
        sha256,
        ...words,
        acceptsSvg: isSvgName(path),
      });
      if (stored.created) created.add(sha256);
      for (const each of [first, ...others]) media.set(each.path, stored.media);
      for (const message of stored.warnings) {
        problems.push({ level: "warning", file: path, line: null, field: null, message });
      }
      deps.onProgress?.(media.size, images.length);
    } catch (error) {
      if (error instanceof AppError && mediaErrorCodes.has(error.code)) {
        for (const each of [first, ...others]) failed.set(each.path, error.message);
      } else unexpected ??= error;
    }
  };
  await mapConcurrently([...byHash.values()], 2, importOne);
  if (unexpected !== undefined) {
    await undo();
    throw unexpected;
  }
  return { media, problems, failed, undo, keep };
}
