import { randomUUID } from "node:crypto";
import { mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { mapConcurrently } from "../../kit/concurrency.ts";
import type { Db } from "../../platform/db/connect.ts";
import { exists, removeTree, undefinedIfMissing } from "../../platform/files.ts";
import type { FileCopies } from "../../platform/storage/file-copies.ts";
import { isDeadDownload } from "../../platform/storage/response-body.ts";
import { hashFile } from "../release/artifact/output.ts";
import type { Blobs, NamedFile } from "./blobs.ts";
import {
  bumpFilesVersion,
  deleteFiles,
  findFiles,
  findFilesVersion,
  isShared,
  listFilesBelow,
  putFiles,
} from "./store.ts";

/** Files that every node can have. Folders are relative to the instance's and end with a slash. */
export interface SharedFiles extends FileCopies {
  /** Makes folders of this node what is stored: gets what is missing, removes what isn't stored. */
  sync(folders: readonly string[]): Promise<void>;
  /**
   * Makes what is stored of a folder what this node has, which must be the only one. Returns how many
   * files it has.
   */
  putFolder(folder: string, now: number): Promise<number>;
  /** Removes those of a folder's files that `isKept` doesn't name and that were stored a day ago. */
  prune(folder: string, isKept: (path: string) => boolean, now: number): Promise<void>;
}

export interface SharedFilesDependencies {
  db: Db;
  blobs: Blobs;
  /** The instance's folder on this node. */
  dir: string;
  /** Tells the other nodes, in the transaction of a change. */
  notify(transaction: Db): Promise<void>;
}

/** Longer than anybody takes from storing a file to the row that names it, in ms. */
const keptMs = 24 * 60 * 60 * 1000;

/** Longer than it takes to put a stored file in place, in ms. */
const placedMs = 60_000;

/** Files that are being made, in their place or in a folder beside it. */
const unfinished = /\.part(?:\/|$)|\/\.[^/]*$/;

/** The paths of the files of a folder, relative to `dir`. */
async function listPaths(dir: string, folder: string): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = (await undefinedIfMissing(readdir(join(dir, folder), options))) ?? [];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)));
}

/** The paths of a folder's files that are finished, relative to `dir`. */
export async function listFinished(dir: string, folder: string): Promise<string[]> {
  return (await listPaths(dir, folder)).filter((path) => !unfinished.test(path));
}

/** Puts those of the files in place that this node lacks; one that was removed meanwhile isn't missed. */
async function download(
  { blobs, dir }: SharedFilesDependencies,
  files: readonly { path: string; blobName: string }[],
): Promise<void> {
  const missing: NamedFile[] = [];
  for (const { path, blobName } of files) {
    const file = join(dir, path);
    if (await exists(file)) continue;
    await mkdir(dirname(file), { recursive: true });
    missing.push({ name: blobName, path: file });
  }
  await mapConcurrently(missing, 8, (file) => blobs.find(file));
}

function change(
  { db, notify }: SharedFilesDependencies,
  work: (transaction: Db) => Promise<void>,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await work(transaction);
    await bumpFilesVersion(transaction, randomUUID());
    await notify(transaction);
  });
}

/** Stores files under their paths relative to the instance's folder. */
async function putAll(
  deps: SharedFilesDependencies,
  files: Parameters<FileCopies["put"]>[0],
): Promise<void> {
  if (files.length === 0) return;
  const contents = await mapConcurrently(files, 8, async ({ path, from }) => ({
    path: relative(deps.dir, path),
    from,
    blobName: await hashFile(from, (await stat(from)).size),
  }));
  await deps.blobs.put(contents.map(({ blobName: name, from: path }) => ({ name, path })));
  await change(deps, (transaction) => putFiles(transaction, contents));
}

/** Opens the shared files of an instance for one node. */
export function makeSharedFiles(deps: SharedFilesDependencies): SharedFiles {
  const { db, dir } = deps;
  const relativeToDir = (path: string) => relative(dir, path);
  /** The version at which each folder was made what is stored. */
  const synced = new Map<string, string | null>();

  async function syncFolder(folder: string): Promise<void> {
    // Files are stored before they are put in place, so what is here and not stored was removed.
    const all = await listPaths(dir, folder);
    const here = all.filter((path) => !unfinished.test(path));
    const stored = await listFilesBelow(db, folder);
    const paths = new Set(stored.map(({ path }) => path));
    for (const path of all) if (isDeadDownload(path)) await removeTree(join(dir, path));
    for (const path of here) if (!paths.has(path)) await removeTree(join(dir, path));
    await download(deps, stored);
  }

  async function sync(folders: readonly string[]): Promise<void> {
    // Before everything is stored, what is here and not stored is still to come.
    if (!(await isShared(db))) return;
    const version = await findFilesVersion(db);
    for (const folder of folders) {
      if (synced.get(folder) === version) continue;
      await syncFolder(folder);
      synced.set(folder, version);
    }
  }

  return {
    put: (files) => putAll(deps, files),
    remove: (paths) => change(deps, (trx) => deleteFiles(trx, paths.map(relativeToDir))),
    fetch: async (paths) => download(deps, await findFiles(db, paths.map(relativeToDir))),
    sync,
    async putFolder(folder, now) {
      const stored = await listFilesBelow(db, folder);
      const here = await listFinished(dir, folder);
      const paths = new Set(stored.map(({ path }) => path));
      const missing = here.filter((path) => !paths.has(path)).map((path) => join(dir, path));
      await putAll(
        deps,
        missing.map((path) => ({ path, from: path })),
      );
      const present = new Set(here);
      const gone = stored.filter(({ path, updatedAt }) => {
        // One that was stored a moment ago is about to be put in place.
        return !present.has(path) && now - Date.parse(updatedAt) > placedMs;
      });
      const names = gone.map(({ path }) => path);
      if (names.length > 0) await change(deps, (trx) => deleteFiles(trx, names));
      return here.length;
    },
    async prune(folder, isKept, now) {
      const old = (await listFilesBelow(db, folder)).filter(({ path, updatedAt }) => {
        return !isKept(path) && now - Date.parse(updatedAt) > keptMs;
      });
      const paths = old.map(({ path }) => path);
      if (paths.length > 0) await change(deps, (transaction) => deleteFiles(transaction, paths));
    },
  };
}
