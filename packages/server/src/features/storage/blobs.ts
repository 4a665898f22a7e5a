import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { isConflict } from "../../platform/db/retry-transaction.ts";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import { hashFile } from "../release/artifact/output.ts";
import {
  beginBlob,
  type BlobRow,
  completeBlob,
  deleteBlob,
  findBlobs,
  takeUnusedBlobs,
  touchBlobs,
} from "./blob-store.ts";

/** A content, and a file of this node that has it. */
export interface NamedFile {
  /** The SHA-256 of the content in hex. */
  name: string;
  path: string;
}

/** Contents in the object store, each stored once. */
export interface Blobs {
  /** Stores those of the contents that aren't there yet; durable once this resolves. */
  put(files: readonly NamedFile[]): Promise<void>;
  /** Gets contents into files, whose folders exist. Throws `unavailable` if one is missing. */
  get(files: readonly NamedFile[]): Promise<void>;
  /** The same for one content; false if it is missing. */
  find(file: NamedFile): Promise<boolean>;
  /** Removes contents that nothing has used for a day and that `isKept` doesn't name. Returns how many. */
  removeUnused(isKept: (name: string) => boolean): Promise<number>;
}

const maxConcurrent = 8;
/** How many names a statement asks for. */
const batchSize = 500;
/** Longer than anybody takes from storing a content to storing what names it, in ms. */
const unusedMs = 24 * 60 * 60 * 1000;
const maxRemoved = 1000;

function batches<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / batchSize);
  return Array.from({ length: count }, (_, n) => items.slice(n * batchSize, (n + 1) * batchSize));
}

function uniqueByName(files: readonly NamedFile[]): NamedFile[] {
  return [...new Map(files.map((file) => [file.name, file])).values()];
}

/** Opens the contents of an instance. */
export function makeBlobs({ db, objects }: { db: Db; objects: ObjectStore }): Blobs {
  async function upload({ name, path }: NamedFile): Promise<void> {
    const { size: bytes } = await stat(path);
    const hash = await hashFile(path, bytes);
    if (name !== hash) throw new AppError("conflict", `The file ${path} is damaged.`);
    const object_key = `blobs/${name.slice(0, 2)}/${name}-${randomUUID()}`;
    await beginBlob(db, { object_key, name, bytes });
    await objects.put(object_key, { path, hash, bytes });
    const isFirst = await completeBlob(db, { object_key, name }).catch((error: unknown) => {
      if (isConflict(error)) return false;
      throw error;
    });
    if (isFirst) return;
    await objects.remove(object_key);
    await deleteBlob(db, object_key);
    const isThere = (await touchBlobs(db, [name])).length > 0;
    if (!isThere) throw new AppError("unavailable", "An upload to the object store was given up.");
  }

  async function rowsOf(names: readonly string[]): Promise<Map<string, BlobRow>> {
    const rows: BlobRow[] = [];
    for (const batch of batches(names)) rows.push(...(await findBlobs(db, batch)));
    return new Map(rows.map((row) => [row.name, row]));
  }

  async function download({ path }: NamedFile, row: BlobRow | undefined): Promise<boolean> {
    if (row === undefined) return false;
    return objects.get(row.object_key, { path, hash: row.name, bytes: row.bytes });
  }

  return {
    async put(given) {
      const files = uniqueByName(given);
      const known = new Set<string>();
      for (const batch of batches(files.map(({ name }) => name))) {
        for (const name of await touchBlobs(db, batch)) known.add(name);
      }
      const missing = files.filter(({ name }) => !known.has(name));
      await mapConcurrently(missing, maxConcurrent, upload);
    },
    async get(files) {
      const rows = await rowsOf(files.map(({ name }) => name));
      await mapConcurrently(files, maxConcurrent, async (file) => {
        if (await download(file, rows.get(file.name))) return;
        throw new AppError("unavailable", "The object store lacks a file of this site.", {
          details: { name: file.name },
        });
      });
    },
    async find(file) {
      return download(file, (await rowsOf([file.name])).get(file.name));
    },
    async removeUnused(isKept) {
      const rows = await takeUnusedBlobs(db, { unusedMs, limit: maxRemoved, isKept });
      await mapConcurrently(rows, maxConcurrent, ({ object_key }) => objects.remove(object_key));
      return rows.length;
    },
  };
}
