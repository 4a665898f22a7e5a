import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import type { Environment } from "../../../platform/config.ts";
import { keyFiles, readKeyring } from "../../../platform/secrets.ts";
import { type ObjectStore, openObjectStore } from "../../../platform/storage/object-store.ts";
import {
  InvalidStorage,
  parseStorageUrl,
  type StorageSettings,
} from "../../../platform/storage/storage-url.ts";
import type { BackupSource } from "../unpack.ts";
import { findStoredBackups, openStoredBackup } from "./find-stored.ts";
import { timeOfName } from "./stored-manifest.ts";

/** How many backups are shown. */
const maxListed = 100;

/** The object store of the environment, where there is no instance. Throws `bad_request`. */
function readStorage(env: Environment): StorageSettings {
  const url = env["STORAGE_URL"];
  if (!url) {
    const message = "Set STORAGE_URL to name the object store.";
    throw new AppError("bad_request", message, { fields: { STORAGE_URL: "is missing" } });
  }
  try {
    return parseStorageUrl(url, env);
  } catch (cause) {
    if (!(cause instanceof InvalidStorage)) throw cause;
    const { variable, message } = cause;
    const fields = { [variable]: message };
    throw new AppError("bad_request", `Configuration: ${variable} ${message}.`, { fields, cause });
  }
}

async function withBucket<T>(
  env: Environment,
  work: (objects: ObjectStore) => Promise<T>,
): Promise<T> {
  const objects = openObjectStore(readStorage(env));
  try {
    return await work(objects);
  } finally {
    await objects.close();
  }
}

/** A backup that the bucket has; what isn't known can't be read. */
export interface BackupInBucket {
  name: string;
  createdAt: string;
  size: number | null;
  version: string | null;
  key: string | null;
}

/** The newest backups in the object store, newest first, without the database. */
export function listInBucket(env: Environment, signal: AbortSignal): Promise<BackupInBucket[]> {
  return withBucket(env, async (objects) => {
    const found = await findStoredBackups(objects, { limit: maxListed, signal });
    return found.map(({ name, head }) => ({
      name,
      createdAt: timeOfName(name),
      size: head?.bytes ?? null,
      version: head?.version ?? null,
      key: head?.keyId ?? null,
    }));
  });
}

/**
 * Opens a backup in the object store for `work`, without the database. Throws `bad_request` without the
 * folder of the instance's keys, and what `openStoredBackup` throws.
 */
export function withStored<T>(
  {
    name,
    keysDir,
    env,
    signal,
    onProgress,
  }: {
    name: string;
    keysDir: string | undefined;
    env: Environment;
    signal: AbortSignal;
    onProgress(line: string): void;
  },
  work: (source: BackupSource) => Promise<T>,
): Promise<T> {
  const folder = keysDir ?? env["KEYS_DIR"];
  if (!folder) {
    const message =
      "The backup is encrypted: name the folder with the instance's keys with --keys or KEYS_DIR.";
    throw new AppError("bad_request", message);
  }
  if (!existsSync(join(folder, keyFiles.settings))) {
    const message = `${folder} has no ${keyFiles.settings}. The backup is encrypted with it: copy it there from another node, or from where you keep a copy.`;
    throw new AppError("unavailable", message);
  }
  const keyring = readKeyring(folder);
  return withBucket(env, async (objects) =>
    work(await openStoredBackup(objects, name, { keyring, signal, onProgress })),
  );
}
