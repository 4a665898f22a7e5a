import { constants, createReadStream, createWriteStream } from "node:fs";
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import { ulidPattern } from "../../../kit/ulid.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { undefinedIfMissing } from "../../../platform/files.ts";
import type { ObjectStore } from "../../../platform/storage/object-store.ts";
import { listParts, type PartRow } from "./shared-upload-store.ts";

/** This node's copies of shared uploads, which may be incomplete, and may be lost at any time. */
export interface UploadCopies {
  fileOf(id: string): string;
  /** The keys of the parts that a copy has; the next copy of the same upload has another set. */
  partsOf(id: string): Set<string>;
  /** Gets the parts that a copy lacks, and returns its path. Throws `unavailable`, or when aborted. */
  complete(id: string, signal?: AbortSignal): Promise<string>;
  /** Removes a copy, also if it was received before anything was shared. */
  remove(id: string): Promise<void>;
  /** Removes files that no process needs: those for which `isNeeded` is false, and those of an earlier process. */
  removeOthers(isNeeded: (id: string) => Promise<boolean>): Promise<void>;
}

/** Puts the part of an upload into this node's copy. Throws `unavailable` if it can't be had. */
async function fetchPart(
  objects: Pick<ObjectStore, "get">,
  part: PartRow,
  { file, signal }: { file: string; signal: AbortSignal | undefined },
): Promise<void> {
  const { object_key, sha256: hash, bytes, position: start } = part;
  const path = `${file}.${start}`;
  try {
    if (!(await objects.get(object_key, { path, hash, bytes, signal }))) {
      const message = "The object store lacks a part of an upload.";
      throw new AppError("unavailable", message, { details: { key: object_key } });
    }
    const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    await pipeline(createReadStream(path), createWriteStream(file, { fd: handle, start }));
  } finally {
    await rm(path, { force: true });
  }
}

/** Opens the copies in a folder, for the only process that uses it. */
export function makeUploadCopies({
  db,
  objects,
  directory,
}: {
  db: Db;
  objects: Pick<ObjectStore, "get">;
  directory: string;
}): UploadCopies {
  const copies = new Map<string, Set<string>>();
  const fileOf = (id: string) => join(directory, id);

  function partsOf(id: string): Set<string> {
    const known = copies.get(id);
    if (known !== undefined) return known;
    const none = new Set<string>();
    copies.set(id, none);
    return none;
  }

  return {
    fileOf,
    partsOf,
    async complete(id, signal) {
      const file = fileOf(id);
      const present = partsOf(id);
      const missing = (await listParts(db, id)).filter(({ object_key: key }) => !present.has(key));
      const errors: unknown[] = [];
      // All have ended when this does, so that none of them writes to a copy that was removed.
      await mapConcurrently(missing, 4, async (part) => {
        if (errors.length > 0) return;
        try {
          signal?.throwIfAborted();
          await fetchPart(objects, part, { file, signal });
          present.add(part.object_key);
        } catch (error) {
          errors.push(error);
        }
      });
      if (errors.length > 0) throw errors[0];
      return file;
    },
    async remove(id) {
      copies.delete(id);
      // First, so that a description never outlasts the file.
      await rm(`${fileOf(id)}.json`, { force: true });
      await rm(fileOf(id), { force: true });
    },
    async removeOthers(isNeeded) {
      const names = (await undefinedIfMissing(readdir(directory))) ?? [];
      for (const name of names) {
        const [id = ""] = name.split(".");
        // Those with a description were received before anything was shared.
        const isCopy = ulidPattern.test(id) && !names.includes(`${id}.json`);
        if (!isCopy || (copies.has(id) && (await isNeeded(id)))) continue;
        copies.delete(id);
        await rm(join(directory, name), { force: true });
      }
    },
  };
}
