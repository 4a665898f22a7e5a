import { randomUUID } from "node:crypto";
import { mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { mapConcurrently } from "../../kit/concurrency.ts";
import type { Db } from "../../platform/db/connect.ts";
import { exists, removeTree, undefinedIfMissing } from "../../platform/files.ts";
import type { FileCopies } from "../../platform/storage/file-copies.ts";
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

/** Files that every node can have. */
export interface SharedFiles extends FileCopies {
  /**
   * Makes a folder of this node what is stored: gets what is missing, and removes what no node has any
   * more. Its path is relative to the instance's folder and ends with a slash.
   */
  sync(folder: string): Promise<void>;
  /** Stores all files of a folder of this node that aren't stored yet. Returns how many files it has. */
  putFolder(folder: string): Promise<number>;
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

/** Files that are being made, in their place or in a folder beside it. */
const unfinished = /\.part(?:\/|$)|\/\.[^/]*$/;

/** Opens the shared files of an instance for one node. */
export function makeSharedFiles({ db, blobs, dir, notify }: SharedFilesDependencies): SharedFiles {
  async function download(files: readonly { path: string; blobName: string }[]): Promise<void> {
    const missing: NamedFile[] = [];
    for (const { path, blobName } of files) {
      const file = join(dir, path);
      if (await exists(file)) continue;
      await mkdir(dirname(file), { recursive: true });
      missing.push({ name: blobName, path: file });
    }
    // One that was removed meanwhile isn't missed.
    await mapConcurrently(missing, 8, (file) => blobs.find(file));
  }

  async function list(folder: string): Promise<string[]> {
    const options = { recursive: true, withFileTypes: true } as const;
    const entries = (await undefinedIfMissing(readdir(join(dir, folder), options))) ?? [];
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(dir, join(entry.parentPath, entry.name)));
    return paths.filter((path) => !unfinished.test(path));
  }

  const named = (path: string) => relative(dir, path);

  /** The version at which each folder was made what is stored. */
  const synced = new Map<string, string | null>();

  function change(work: (transaction: Db) => Promise<void>): Promise<void> {
    return db.transaction().execute(async (transaction) => {
      await work(transaction);
      await bumpFilesVersion(transaction, randomUUID());
      await notify(transaction);
    });
  }

  const put: FileCopies["put"] = async (files) => {
    if (files.length === 0) return;
    const stored = await mapConcurrently(files, 8, async ({ path, from }) => ({
      path: named(path),
      from,
      name: await hashFile(from, (await stat(from)).size),
    }));
    await blobs.put(stored.map(({ name, from }) => ({ name, path: from })));
    await change((transaction) =>
      putFiles(
        transaction,
        stored.map(({ path, name: blobName }) => ({ path, blobName })),
      ),
    );
  };

  return {
    put,
    remove: (paths) => change((transaction) => deleteFiles(transaction, paths.map(named))),
    fetch: async (paths) => download(await findFiles(db, paths.map(named))),
    async sync(folder) {
      // Before everything is stored, what is here and not stored is still to come.
      if (!(await isShared(db))) return;
      const version = await findFilesVersion(db);
      if (synced.get(folder) === version) return;
      // Files are stored before they are put in place, so what is here and not stored was removed.
      const here = await list(folder);
      const stored = await listFilesBelow(db, folder);
      const paths = new Set(stored.map(({ path }) => path));
      for (const path of here) if (!paths.has(path)) await removeTree(join(dir, path));
      await download(stored);
      synced.set(folder, version);
    },
    async putFolder(folder) {
      const stored = new Set((await listFilesBelow(db, folder)).map(({ path }) => path));
      const here = await list(folder);
      const missing = here.filter((path) => !stored.has(path)).map((path) => join(dir, path));
      await put(missing.map((path) => ({ path, from: path })));
      return here.length;
    },
    async prune(folder, isKept, now) {
      const old = (await listFilesBelow(db, folder)).filter(({ path, updatedAt }) => {
        return !isKept(path) && now - Date.parse(updatedAt) > keptMs;
      });
      const paths = old.map(({ path }) => path);
      if (paths.length > 0) await change((transaction) => deleteFiles(transaction, paths));
    },
  };
}
