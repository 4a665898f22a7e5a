import { randomBytes, randomUUID } from "node:crypto";
import { Writable } from "node:stream";
import { AppError } from "../../../kit/errors.ts";
import { sha256Hex } from "../../../kit/hash.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { ObjectStore } from "../../../platform/storage/object-store.ts";
import { encryptPart } from "./part-cipher.ts";
import {
  assertPartCount,
  partBytes as defaultPartBytes,
  partPrefix,
  type StoredContent,
  type StoredPart,
} from "./stored-manifest.ts";
import { beginPart, completePart } from "./store.ts";

export interface PartWriterDependencies {
  db: Db;
  objects: Pick<ObjectStore, "putBytes">;
  /** How much of the archive is in a part; for tests. */
  partBytes?: number | undefined;
}

/** Takes an archive and stores it in parts. */
export interface PartWriter {
  /** It has finished only when everything is stored. */
  stream: Writable;
  /** What was stored; call when the stream has finished. */
  content(): StoredContent;
}

/** The error for a backup that the cleanup took for abandoned. */
export function givenUpError(): AppError {
  const message = "The backup took too long between two parts and was given up. Try again.";
  return new AppError("conflict", message);
}

/** Tells a stream how work has ended. */
async function settle(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  let error: Error | undefined;
  await work.catch((reason: Error) => (error = reason));
  done(error);
}

/**
 * Stores what is written to it in parts, each encrypted with the backup's own key. One part is stored
 * while the next one is filled.
 */
export function makePartWriter(
  { db, objects, partBytes = defaultPartBytes }: PartWriterDependencies,
  { name, signal }: { name: string; signal: AbortSignal },
): PartWriter {
  const key = randomBytes(32);
  const parts: StoredPart[] = [];
  const plain = Buffer.allocUnsafeSlow(partBytes);
  let used = 0;
  let bytes = 0;
  let storing: Promise<void> = Promise.resolve();

  async function store(objectKey: string, content: Buffer): Promise<void> {
    // The row comes first, so that nothing is stored without a trace.
    if (!(await beginPart(db, { objectKey, name }))) throw givenUpError();
    await objects.putBytes(objectKey, content, signal);
    await completePart(db, objectKey);
  }

  /**
   * Begins to store what was written, once the part before is stored. So two parts are in memory, or three
   * while one is encrypted.
   */
  async function flush(): Promise<void> {
    await storing;
    const position = parts.length;
    assertPartCount(position + 1);
    const content = encryptPart(key, position, plain.subarray(0, used));
    used = 0;
    const objectKey = `${partPrefix(name)}${String(position + 1).padStart(5, "0")}-${randomUUID()}`;
    parts.push({ key: objectKey, bytes: content.length, sha256: sha256Hex(content) });
    storing = store(objectKey, content);
    // The caller that waits for it gets the error.
    storing.catch(() => {});
  }

  async function take(chunk: Buffer): Promise<void> {
    for (let offset = 0; offset < chunk.length;) {
      const copied = chunk.copy(plain, used, offset);
      offset += copied;
      used += copied;
      if (used === partBytes) await flush();
    }
    bytes += chunk.length;
  }

  async function end(): Promise<void> {
    if (used > 0) await flush();
    await storing;
  }

  return {
    stream: new Writable({
      write: (chunk: Buffer, _encoding, done) => void settle(take(chunk), done),
      final: (done) => void settle(end(), done),
      // The request that was under way has ended before its objects are removed.
      destroy: (error, done) => void settle(storing, () => done(error)),
    }),
    content: () => ({ key: key.toString("base64url"), bytes, parts }),
  };
}
