import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { writeAll } from "../../../platform/files.ts";
import type { Log } from "../../../platform/log.ts";
import type { ObjectStore } from "../../../platform/storage/object-store.ts";
import {
  beginPart,
  completePart,
  deletePart,
  listUnusedParts,
  type PartRow,
} from "./shared-upload-store.ts";

/** Longer than anybody takes to store a part, in ms. */
const abandonedMs = 24 * 60 * 60 * 1000;
const maxRemoved = 1000;
/** After how many failures to remove objects the store seems to be away. */
const maxFailures = 16;

export interface UploadPartsDependencies {
  db: Db;
  objects: Omit<ObjectStore, "close">;
  /** How many bytes are stored at once. */
  partBytes: number;
}

/** What a request adds to an upload: a copy in a file of this node, and parts in the object store. */
export interface PartWriter {
  /** What arrived so far, stored or not. */
  readonly offset: number;
  /** Adds the next bytes; waits while two parts are being stored. */
  add(chunk: Uint8Array): Promise<void>;
  /** Stores what is left; durable once this resolves. Returns the upload's offset. */
  end(): Promise<number>;
  close(): Promise<void>;
}

export interface PartWriterOptions {
  id: string;
  /** This node's copy of the upload. */
  file: string;
  offset: number;
  /** The token with which parts may be added. */
  writer: string;
  /** Called with the key of each part that is stored. */
  onStored(objectKey: string): void;
  /** Ends what is being stored. */
  signal?: AbortSignal;
}

const continuedElsewhere = () =>
  new AppError("locked", "Another request has continued this upload. Ask for its offset.");

/** Stores a part, then lets the upload have it. Throws `locked` if another request has continued it. */
async function storePart(
  { db, objects }: UploadPartsDependencies,
  part: PartRow,
  { file: path, writer, onStored, signal }: PartWriterOptions,
): Promise<void> {
  const { object_key, sha256: hash, bytes, position: start } = part;
  // Whatever happens after an object is stored, its row leads to it. The row also stays if the object
  // can't be stored: a request that was given up can still reach the store.
  await beginPart(db, part);
  await objects.put(object_key, { path, hash, bytes, start, signal });
  // If this fails, nobody knows whether the upload has the part, so its object stays.
  if (await completePart(db, part, writer)) return onStored(object_key);
  const discard = async () => {
    await objects.remove(object_key);
    await deletePart(db, object_key);
  };
  await discard().catch(() => {});
  throw continuedElsewhere();
}

/** Removes parts that no upload needs. What fails, or isn't reached before `signal`, stays for the next time. */
export async function removeUnusedParts(
  { db, objects, log }: Pick<UploadPartsDependencies, "db" | "objects"> & { log: Log },
  signal: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  const remove = async (key: string) => {
    if (signal.aborted || errors.length >= maxFailures) return;
    try {
      await objects.remove(key, signal);
      await deletePart(db, key);
    } catch (error) {
      errors.push(error);
    }
  };
  try {
    const keys = await listUnusedParts(db, { abandonedMs, limit: maxRemoved });
    await mapConcurrently(keys, 8, remove);
  } catch (error) {
    errors.push(error);
  }
  if (errors.length === 0 || signal.aborted) return;
  log.warn({ err: errors[0] }, "parts of uploads couldn't be removed; will try again");
}

/** Begins to add to an upload at an offset. The caller closes it. */
export async function openPartWriter(
  deps: UploadPartsDependencies,
  options: PartWriterOptions,
): Promise<PartWriter> {
  const { id, file, offset } = options;
  const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  let start = offset;
  let bytes = 0;
  let hash = createHash("sha256");
  let storing: Promise<void> = Promise.resolve();

  /** Begins to store what has arrived, and waits for the part before it. */
  function flush(): Promise<void> {
    const before = storing;
    if (bytes === 0) return before;
    const object_key = `uploads/${id}/${randomUUID()}`;
    const part = { object_key, upload_id: id, position: start, bytes, sha256: hash.digest("hex") };
    start += bytes;
    bytes = 0;
    hash = createHash("sha256");
    storing = before.then(() => storePart(deps, part, options));
    // The caller that waits for it gets the error.
    storing.catch(() => {});
    return before;
  }

  return {
    get offset() {
      return start + bytes;
    },
    async add(chunk) {
      await writeAll(handle, chunk, start + bytes);
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes >= deps.partBytes) await flush();
    },
    async end() {
      await flush();
      await storing;
      return start;
    },
    async close() {
      await storing.catch(() => {});
      await handle.close();
    },
  };
}
