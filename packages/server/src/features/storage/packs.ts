import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { newUlid } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import { exists, removeTree } from "../../platform/files.ts";
import { hashFile } from "../release/artifact/output.ts";
import type { Repository } from "../workspace/git.ts";
import type { Blobs } from "./blobs.ts";
import { listPacks, type PackRow } from "./store.ts";

/** Git objects in the object store, in packs that lead to a ref. */
export interface Packs {
  /** Stores what `to` has and `base` lacks. Returns the name of the content. */
  store(repository: Repository, base: string | null, to: string): Promise<string>;
  /** Has the objects of a ref in a repository that has those of its earlier packs. */
  fetch(repository: Repository, ref: string): Promise<void>;
}

/** Packing a large repository takes its time, in ms. */
export const packTimeoutMs = 30 * 60_000;

/** Whether the repository has an object, and then everything that it leads to. */
async function hasObject({ git }: Repository, id: string): Promise<boolean> {
  return (await git(["cat-file", "-e", id], { exitCodes: [0, 1, 128] })).exitCode === 0;
}

/** Opens the packs of an instance. */
export function makePacks({ db, blobs }: { db: Db; blobs: Blobs }): Packs {
  async function download(repository: Repository, { blob_name: name }: PackRow): Promise<void> {
    const folder = join(repository.gitDir, "objects/pack");
    const path = join(folder, `pack-${name}.pack`);
    if (await exists(join(folder, `pack-${name}.idx`))) return;
    await mkdir(folder, { recursive: true });
    await blobs.get([{ name, path }]);
    await repository.git(["index-pack", path], { timeoutMs: packTimeoutMs });
  }

  return {
    async store(repository, base, to) {
      const folder = join(repository.gitDir, `vitrine-pack-${newUlid(Date.now())}`);
      await mkdir(folder);
      try {
        const input = base === null ? `${to}\n` : `${to}\n^${base}\n`;
        const args = ["pack-objects", "--revs", "-q", join(folder, "pack")];
        const { stdout } = await repository.git(args, { input, timeoutMs: packTimeoutMs });
        const path = join(folder, `pack-${stdout.trim()}.pack`);
        const name = await hashFile(path, (await stat(path)).size);
        await blobs.put([{ name, path }]);
        return name;
      } finally {
        await removeTree(folder);
      }
    },
    async fetch(repository, ref) {
      const missing: PackRow[] = [];
      // The newest first: most often, only the last one is missing, and each question starts git.
      for (const pack of (await listPacks(db, ref)).toReversed()) {
        if (await hasObject(repository, pack.object_id)) break;
        missing.unshift(pack);
      }
      for (const pack of missing) await download(repository, pack);
    },
  };
}
