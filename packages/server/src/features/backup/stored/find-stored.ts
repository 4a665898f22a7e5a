import { AppError } from "../../../kit/errors.ts";
import type { Keyring } from "../../../platform/secrets.ts";
import type { ObjectStore } from "../../../platform/storage/object-store.ts";
import type { BackupSource } from "../unpack.ts";
import { readParts } from "./part-reader.ts";
import {
  isBackupName,
  manifestKey,
  manifestPrefix,
  maxManifestBytes,
  openManifest,
  readStoredHead,
  type StoredHead,
} from "./stored-manifest.ts";

/** Names the newest backup. */
export const latestBackup = "latest";

type Objects = Pick<ObjectStore, "getBytes" | "list">;

async function readManifest(
  objects: Objects,
  name: string,
  signal: AbortSignal,
): Promise<string | null> {
  const options = { maxBytes: maxManifestBytes, signal };
  return (await objects.getBytes(manifestKey(name), options))?.toString() ?? null;
}

/** The names of the backups in the bucket, newest first, without the database. */
async function listNames(objects: Objects, signal: AbortSignal): Promise<string[]> {
  const keys = await objects.list(manifestPrefix, signal);
  const names = keys.map((key) => key.slice(manifestPrefix.length).replace(/\.json$/, ""));
  return names
    .filter((name) => isBackupName(name))
    .toSorted()
    .toReversed();
}

function headOrNull(text: string, name: string): StoredHead | null {
  try {
    return readStoredHead(text, name);
  } catch {
    return null;
  }
}

/** The newest backups in the bucket, newest first, without the database; null for an unreadable one. */
export async function findStoredBackups(
  objects: Objects,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<{ name: string; head: StoredHead | null }[]> {
  const names = await listNames(objects, signal);
  const found = [];
  for (const name of names.slice(0, limit)) {
    const text = await readManifest(objects, name, signal);
    found.push({ name, head: text === null ? null : headOrNull(text, name) });
  }
  return found;
}

/** An error about the newest backup, which may be damaged, with the name of the one before it. */
function withOlder(error: unknown, older: string | undefined): unknown {
  const isDamaged = error instanceof AppError && error.code === "validation_failed";
  if (!isDamaged || older === undefined) return error;
  const message = `${error.message} The backup before it is ${older}.`;
  return new AppError("validation_failed", message, { cause: error });
}

/** Does something with a manifest; its errors name an older backup. */
function naming<T>(older: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw withOlder(error, older);
  }
}

/**
 * Opens a backup in the object store by its name, or the newest one, without the database. Throws
 * `bad_request` for what isn't a name, `not_found`, `validation_failed` if it is damaged, `unavailable` if
 * the store can't be used or the keys lack its key.
 */
export async function openStoredBackup(
  objects: Objects,
  given: string,
  {
    keyring,
    signal,
    onProgress,
  }: { keyring: Keyring; signal: AbortSignal; onProgress(line: string): void },
): Promise<BackupSource> {
  const names = given === latestBackup ? await listNames(objects, signal) : [given];
  const [name, older] = names;
  if (name === undefined)
    throw new AppError("not_found", "There is no backup in the object store.");
  if (!isBackupName(name)) {
    const message = `“${name}” isn't the name of a backup in the object store, such as 2026-11-29T153000Z-1a2b3c4d.`;
    throw new AppError("bad_request", message);
  }
  const text = await readManifest(objects, name, signal);
  if (text === null) {
    const message = `There is no backup ${name} in the object store. List what is there with \`vitrine backup list --from-store\`.`;
    throw new AppError("not_found", message);
  }
  const content = naming(older, () => openManifest(keyring, readStoredHead(text, name)));
  let read = 0;
  const mebibytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
  const onPart = (bytes: number) => {
    read += bytes;
    onProgress(`${mebibytes(read)} of ${mebibytes(content.bytes)} MiB`);
  };
  async function* readAll(): AsyncGenerator<Buffer> {
    try {
      yield* readParts(objects, content, { signal, onPart });
    } catch (error) {
      throw withOlder(error, older);
    }
  }
  return { read: readAll };
}
