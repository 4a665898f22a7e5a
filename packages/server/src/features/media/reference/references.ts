import { chmod, mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import { newUlid } from "../../../kit/ulid.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { fsyncFile, fsyncFolder, undefinedIfMissing, removeTree } from "../../../platform/files.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { FileCopies } from "../../../platform/storage/file-copies.ts";
import type { ImageWorkers } from "../image/workers.ts";
import type { ReferenceImage } from "../schema.ts";
import type { ReceivedFile } from "../upload/upload-queue.ts";
import { fileOfReference } from "./reference-file.ts";
import {
  deleteReferences,
  findReference,
  insertReference,
  listReferenceIds,
  listOldReferences,
  type ReferenceRow,
} from "./store.ts";

/** Images that agents see and that never become part of the site. */
export interface References {
  /**
   * Stores a received image, reduced and without metadata; the file is moved or removed in any
   * case. Throws `unsupported_media_type`, `bad_media` (`details.reason`), `unavailable`,
   * `disk_full`.
   */
  take(received: ReceivedFile): Promise<ReferenceImage>;
  /** Deletes expired images, and files without a row. Call before serving requests. */
  recover(): Promise<void>;
}

export interface ReferencesOptions {
  db: Db;
  clock: Clock;
  paths: Pick<InstancePaths, "uploads" | "references">;
  images: Pick<ImageWorkers, "convert">;
  /** What the instance's other nodes can get; null or none if it is on one disk. */
  copies?: FileCopies | null;
}

/** Maximum bytes of an image sent to a model. */
const maxImageBytes = 4 * 1024 * 1024;
/** How long an image is kept, in ms: a run can be retried for a month. */
const retentionMs = 30 * 24 * 60 * 60_000;
const maxStored = 500;

function referenceOf({ id, name, mime, bytes, width, height }: ReferenceRow): ReferenceImage {
  return { id, name, mime, bytes, width, height };
}

/** The references of one instance, for the only process that accepts uploads. */
export function makeReferences(options: ReferencesOptions): References {
  const { db, clock, paths, images, copies = null } = options;

  async function dropOld(): Promise<void> {
    const old = await listOldReferences(db, {
      before: isoTime(clock.now() - retentionMs),
      maxStored,
    });
    await deleteReferences(
      db,
      old.map(({ id }) => id),
    );
    const files = old.map((row) => fileOfReference(paths, row));
    await copies?.remove(files);
    for (const file of files) await removeTree(file);
  }

  /** Only at startup, because the row of a new file may follow in a moment. */
  async function dropNameless(): Promise<void> {
    const storedIds = new Set(await listReferenceIds(db));
    for (const name of (await undefinedIfMissing(readdir(paths.references))) ?? []) {
      if (!storedIds.has(name.split(".")[0] ?? "")) await removeTree(join(paths.references, name));
    }
  }

  /** The file is in place before its row, so that no row is without a file. */
  async function keep(from: string, row: ReferenceRow): Promise<void> {
    const to = fileOfReference(paths, row);
    await mkdir(paths.references, { recursive: true, mode: 0o700 });
    await chmod(from, 0o600);
    await fsyncFile(from);
    await copies?.put([{ path: to, from }]);
    await rename(from, to);
    await fsyncFolder(paths.references);
    await insertReference(db, row);
  }

  return {
    async take(received) {
      const id = newUlid(clock.now()).toLowerCase();
      const outDir = join(paths.uploads, `reference-${id}`);
      try {
        await mkdir(outDir, { recursive: true, mode: 0o700 });
        const made = await images.convert({ file: received.file, outDir, stem: id });
        if (made.bytes > maxImageBytes) {
          const details = { reason: "too_large" };
          throw new AppError("bad_media", "The image is too large to be shown.", { details });
        }
        const { mime, bytes, width, height } = made;
        const at = isoTime(clock.now());
        const row = { id, name: received.originalName, mime, bytes, width, height, created_at: at };
        await keep(join(outDir, made.file), row);
        await dropOld();
        return referenceOf(row);
      } finally {
        await removeTree(outDir);
        await removeTree(received.file);
      }
    },
    async recover() {
      await dropOld();
      await dropNameless();
    },
  };
}

/** A reference by its ID. Throws `not_found` if it doesn't exist or was deleted. */
export async function requireReference(db: Db, id: string): Promise<ReferenceRow> {
  const row = await findReference(db, id);
  if (!row) throw new AppError("not_found", "This image is no longer stored.");
  return row;
}
