import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { makeKeyedMutex } from "../../kit/keyed-mutex.ts";
import { newUlid } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import { exists, removeTree } from "../../platform/files.ts";
import { hashFile } from "../release/artifact/output.ts";
import { updateContent } from "../workspace/content-tree.ts";
import { mediaFolder } from "../workspace/content-paths.ts";
import { type ContentRemote, mainHead, mainRef, type Repository } from "../workspace/git.ts";
import type { Blobs } from "./blobs.ts";
import type { SharedFiles } from "./shared-files.ts";
import {
  deletePacks,
  deleteRef,
  findRef,
  insertPack,
  listPacks,
  listRefs,
  moveRef,
  type PackRow,
} from "./store.ts";

/** The ref of the site's history, and what the refs of runs begin with. */
const mainName = "main";
const runPrefix = "run/";

/** The folders whose files all nodes have: of media, of what they were cropped from, and for agents. */
export const sharedFolders = [
  `content/${mediaFolder}/`,
  "data/media-originals/",
  "data/references/",
];

/** With more packs than this, `main` is packed anew as a whole, so that a new node gets few. */
const maxPacks = 64;

/** Packing a large repository takes its time, in ms. */
const timeoutMs = 30 * 60_000;

export interface SharedContentDependencies {
  db: Db;
  blobs: Blobs;
  files: SharedFiles;
}

/** The content repository as all nodes share it. */
export interface SharedContent extends ContentRemote {
  /** Forgets the files of all runs but these. */
  pruneRuns(inUse: ReadonlySet<string>): Promise<void>;
}

const packFolder = (repository: Repository) => join(repository.gitDir, "objects/pack");

/** Whether the repository has an object with everything that it names. */
async function hasObject({ git }: Repository, id: string): Promise<boolean> {
  return (await git(["cat-file", "-e", id], { exitCodes: [0, 1, 128] })).exitCode === 0;
}

/** Opens the content repository of an instance. */
export function makeSharedContent({ db, blobs, files }: SharedContentDependencies): SharedContent {
  /** Uploads what `to` has and `base` lacks. Returns the pack's content. */
  async function upload(repository: Repository, base: string | null, to: string): Promise<string> {
    const folder = join(repository.gitDir, `vitrine-pack-${newUlid(Date.now())}`);
    await mkdir(folder);
    try {
      const revisions = base === null ? `${to}\n` : `${to}\n^${base}\n`;
      const args = ["pack-objects", "--revs", "-q", join(folder, "pack")];
      const { stdout } = await repository.git(args, { input: revisions, timeoutMs });
      const path = join(folder, `pack-${stdout.trim()}.pack`);
      const name = await hashFile(path, (await stat(path)).size);
      await blobs.put([{ name, path }]);
      return name;
    } finally {
      await removeTree(folder);
    }
  }

  /** Has the objects of a pack in the repository. */
  async function download(repository: Repository, { blob_name: name }: PackRow): Promise<void> {
    const path = join(packFolder(repository), `pack-${name}.pack`);
    if (await exists(path.replace(/pack$/, "idx"))) return;
    await mkdir(packFolder(repository), { recursive: true });
    await blobs.get([{ name, path }]);
    await repository.git(["index-pack", path], { timeoutMs });
  }

  /** Downloads the packs after the last one whose object is here. */
  async function downloadTo(repository: Repository, ref: string): Promise<void> {
    const packs = await listPacks(db, ref);
    let first = 0;
    for (const [at, { object_id: id }] of packs.entries()) {
      if (await hasObject(repository, id)) first = at + 1;
    }
    for (const pack of packs.slice(first)) await download(repository, pack);
  }

  /** Moves `main` here to a commit that is here. */
  async function forward(repository: Repository, from: string | null, to: string): Promise<void> {
    const args = ["update-ref", "-m", "from another node", mainRef, to, from ?? ""];
    if (from === null) {
      // Files first: a repository without `main` is filled again.
      await repository.git(["read-tree", "--reset", "-u", to], { timeoutMs });
      await repository.git(args);
      return;
    }
    await repository.git(args);
    await updateContent(repository, from, to);
  }

  async function isAncestor({ git }: Repository, commit: string, of: string): Promise<boolean> {
    const args = ["merge-base", "--is-ancestor", "--end-of-options", commit, of];
    return (await git(args, { exitCodes: [0, 1, 128] })).exitCode === 0;
  }

  async function push(
    repository: Repository,
    { from, to, guard = async () => true }: Parameters<ContentRemote["push"]>[1],
  ): Promise<boolean> {
    const blob_name = await upload(repository, from, to);
    return db.transaction().execute(async (transaction) => {
      // The guard first: whoever undoes a publish locks its row before looking at the ref.
      if (!(await guard(transaction))) return false;
      if (!(await moveRef(transaction, { name: mainName, from, to }))) return false;
      await insertPack(transaction, { ref: mainName, base_id: from, object_id: to, blob_name });
      return true;
    });
  }

  /** Replaces many packs of `main` by one. */
  async function repack(repository: Repository): Promise<void> {
    const packs = await listPacks(db, mainName);
    const last = packs.at(-1);
    if (packs.length <= maxPacks || last === undefined) return;
    const whole = await upload(repository, null, last.object_id);
    await db.transaction().execute(async (transaction) => {
      const { object_id, id } = last;
      const present = await listPacks(transaction, mainName);
      // Another node has done it, or has added one that this one lacks.
      if (present.at(-1)?.id !== id) return;
      await deletePacks(
        transaction,
        packs.map((pack) => pack.id),
      );
      const row = { ref: mainName, base_id: null, object_id, blob_name: whole };
      await insertPack(transaction, row);
    });
  }

  async function sync(repository: Repository): Promise<void> {
    await syncMain(repository);
    // Those that no commit has yet; builds and previews show them.
    for (const folder of sharedFolders) await files.sync(folder);
  }

  async function syncMain(repository: Repository): Promise<void> {
    const shared = await findRef(db, mainName);
    const own = await mainHead(repository).catch(() => null);
    if (shared === own) return;
    if (shared === null) {
      if (own !== null) await push(repository, { from: null, to: own });
      return;
    }
    await downloadTo(repository, mainName);
    if (own === null || (await isAncestor(repository, own, shared))) {
      await forward(repository, own, shared);
    } else if (!(await isAncestor(repository, shared, own))) {
      const message = "The content repository of this node has commits that no other node has.";
      throw new AppError("conflict", message);
    } else if (!(await push(repository, { from: shared, to: own }))) {
      throw new AppError("locked", "Another node has changed the content. Try again.");
    }
    await repack(repository);
  }

  const turns = makeKeyedMutex();
  return {
    push,
    sync: (repository) => turns.run("sync", () => sync(repository)),
    head: (transaction) => findRef(transaction, mainName),
    async putRun(repository, { runId, baseCommit, tree }) {
      const ref = runPrefix + runId;
      const blob_name = await upload(repository, baseCommit, tree);
      await db.transaction().execute(async (transaction) => {
        await deleteRef(transaction, ref);
        await moveRef(transaction, { name: ref, from: null, to: tree });
        await insertPack(transaction, { ref, base_id: baseCommit, object_id: tree, blob_name });
      });
    },
    async getRun(repository, runId) {
      const packs = await listPacks(db, runPrefix + runId);
      if (packs.length === 0)
        throw new AppError("not_found", "The files of this run have been deleted.");
      for (const pack of packs) await download(repository, pack);
    },
    async pruneRuns(inUse) {
      for (const name of await listRefs(db, runPrefix)) {
        if (!inUse.has(name.slice(runPrefix.length))) await deleteRef(db, name);
      }
    },
  };
}
