import type { Writable } from "node:stream";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { type Keyring, readKeyring } from "../../../platform/secrets.ts";
import type { ObjectStore } from "../../../platform/storage/object-store.ts";
import { givenUpError, makePartWriter } from "./part-writer.ts";
import { manifestKey, newBackupName, writeManifest } from "./stored-manifest.ts";
import {
  beginBackup,
  completeBackup,
  deleteBackup,
  deletePart,
  listBackups,
  listForRemoval,
  listUnusedParts,
  markAbandoned,
  markForRemoval,
  touchBackup,
} from "./store.ts";

/** Longer than a node that is alive takes between two parts, and a store until what it was sent is there, in ms. */
const abandonedMs = 24 * 60 * 60 * 1000;
const maxRemoved = 1000;
/** After how many failures to remove objects the store seems to be away. */
const maxFailures = 16;

export interface StoredBackupDependencies {
  db: Db;
  objects: Omit<ObjectStore, "close" | "get" | "put">;
}

/**
 * Removes backups that were given up or deleted, and parts that no backup needs. A manifest goes first, so
 * that nobody finds a backup without its parts: again and again for a day if it was never complete, because
 * a store may have it only after its upload seemed to fail. What can't be removed now stays for the next
 * time. Returns how many objects it has removed; throws if the store refuses some.
 */
export async function removeUnusedBackups({
  db,
  objects,
}: StoredBackupDependencies): Promise<number> {
  const errors: unknown[] = [];
  let removed = 0;
  const remove = async (key: string, forget: () => Promise<boolean>) => {
    if (errors.length >= maxFailures) return;
    try {
      await objects.remove(key);
      if (await forget()) removed += 1;
    } catch (error) {
      errors.push(error);
    }
  };
  await markAbandoned(db, abandonedMs);
  for (const name of await listForRemoval(db))
    await remove(manifestKey(name), () => deleteBackup(db, { name, abandonedMs }));
  const keys = await listUnusedParts(db, { abandonedMs, limit: maxRemoved });
  await mapConcurrently(keys, 8, (key) => remove(key, () => deletePart(db, key).then(() => true)));
  if (errors.length > 0) throw errors[0];
  return removed;
}

/** Removes a complete backup; the hourly cleanup does what can't be done now. Throws `not_found`. */
export async function deleteStoredBackup(
  deps: StoredBackupDependencies,
  name: string,
): Promise<void> {
  if (!(await markForRemoval(deps.db, name, "complete")))
    throw new AppError("not_found", `There is no backup ${name} in the object store.`);
  await removeUnusedBackups(deps).catch(() => {});
}

/** Removes the oldest backups beyond `keep`. Returns their names. */
async function removeOld(deps: StoredBackupDependencies, keep: number): Promise<string[]> {
  const old = (await listBackups(deps.db)).slice(keep).map(({ name }) => name);
  for (const name of old) await markForRemoval(deps.db, name, "complete");
  if (old.length > 0) await removeUnusedBackups(deps).catch(() => {});
  return old;
}

/** A backup that is in the object store. */
export interface StoredBackup<T> {
  /** What was written. */
  content: T;
  name: string;
  /** The size of its archive. */
  bytes: number;
  /** The backups that were removed for it. */
  removed: string[];
}

export interface StoreBackupOptions<T> {
  /** The folder of the instance's keys, one of which encrypts the backup. */
  keysDir: string;
  version: string;
  createdAt: string;
  /** How many backups to keep. */
  keep: number;
  signal: AbortSignal;
  /** How much of the archive is in a part; for tests. */
  partBytes?: number | undefined;
  /** Writes the archive, ends the stream, and says what is in it. */
  write(stream: Writable): Promise<T>;
}

type Written = { files: number; release: number | null };

async function store<T extends Written>(
  { db, objects }: StoredBackupDependencies,
  { name, keyring }: { name: string; keyring: Keyring },
  { version, signal, partBytes, write }: StoreBackupOptions<T>,
): Promise<{ bytes: number; content: T }> {
  const writer = makePartWriter({ db, objects, partBytes }, { name, signal });
  const written = await write(writer.stream);
  const content = writer.content();
  const manifest = Buffer.from(writeManifest(keyring, { name, version }, content));
  if (!(await touchBackup(db, name))) throw givenUpError();
  // From here on, it can be restored; from the next step on, it is listed.
  await objects.putBytes(manifestKey(name), manifest, signal);
  const { files, release: release_number } = written;
  const is = { name, bytes: content.bytes, files, release_number };
  if (!(await completeBackup(db, is))) throw givenUpError();
  return { bytes: content.bytes, content: written };
}

/**
 * Stores a backup in the object store: first parts, then the manifest that makes it one. If that fails or is
 * interrupted, it isn't listed anywhere, and what is left of it is removed by the hourly cleanup after a day.
 * The caller sees to it that only one node does this. Throws `unavailable`, `too_large`, `conflict`.
 */
export async function storeBackup<T extends Written>(
  deps: StoredBackupDependencies,
  options: StoreBackupOptions<T>,
): Promise<StoredBackup<T>> {
  const { db } = deps;
  const { version, createdAt, keep } = options;
  const keyring = readKeyring(options.keysDir);
  const name = newBackupName(createdAt);
  await beginBackup(db, { name, key_id: keyring.active, version, created_at: createdAt });
  try {
    const stored = await store(deps, { name, keyring }, options);
    // A backup that is stored stays good if older ones can't be removed now.
    return { name, ...stored, removed: await removeOld(deps, keep).catch(() => []) };
  } catch (error) {
    const giveUp = async () => {
      if (await markForRemoval(db, name, "storing")) await removeUnusedBackups(deps);
    };
    await giveUp().catch(() => {});
    throw error;
  }
}
