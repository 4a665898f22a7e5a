import { AppError } from "../../../kit/errors.ts";
import { sha256Hex } from "../../../kit/hash.ts";
import type { ObjectStore } from "../../../platform/storage/object-store.ts";
import { damagedBackupError } from "../manifest.ts";
import { decryptPart } from "./part-cipher.ts";
import type { StoredContent, StoredPart } from "./stored-manifest.ts";

type Objects = Pick<ObjectStore, "getBytes">;

async function download(
  objects: Objects,
  { key, bytes: maxBytes, sha256 }: StoredPart,
  { at, signal }: { at: string; signal: AbortSignal },
): Promise<Buffer> {
  const bytes = await objects.getBytes(key, { maxBytes, signal }).catch((error: unknown) => {
    const isLarger = error instanceof AppError && error.code === "too_large";
    throw isLarger ? damagedBackupError(`${at} has changed`, error) : error;
  });
  if (bytes === null) throw damagedBackupError(`${at} is missing`);
  if (bytes.length !== maxBytes || sha256Hex(bytes) !== sha256)
    throw damagedBackupError(`${at} has changed`);
  return bytes;
}

/**
 * Reads the archive of a backup, part by part: each is compared with its hash before any of it is given.
 * Throws `validation_failed` for a part that is missing or was changed.
 */
export async function* readParts(
  objects: Objects,
  { key, bytes, parts }: StoredContent,
  { signal, onPart }: { signal: AbortSignal; onPart(bytes: number): void },
): AsyncGenerator<Buffer> {
  const secret = Buffer.from(key, "base64url");
  let read = 0;
  for (const [position, part] of parts.entries()) {
    const at = `part ${position + 1} of ${parts.length}`;
    const content = await download(objects, part, { at, signal });
    const plain = decryptPart(secret, position, content);
    read += plain.length;
    onPart(plain.length);
    yield plain;
  }
  if (read !== bytes) throw damagedBackupError("its size has changed");
}
