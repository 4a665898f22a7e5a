import { AppError } from "../../kit/errors.ts";
import { makeKeyedMutex } from "../../kit/keyed-mutex.ts";
import type { Db } from "../../platform/db/connect.ts";
import { mediaFolder } from "../workspace/content-paths.ts";
import { type ContentRemote, mainHead, mainRef, type Repository } from "../workspace/git.ts";
import { findIncoming, updateContentFirst } from "../workspace/incoming.ts";
import { type Packs, packTimeoutMs } from "./packs.ts";
import type { SharedFiles } from "./shared-files.ts";
import {
  deletePacks,
  deleteRef,
  findRef,
  insertPack,
  listPacks,
  listRefs,
  moveRef,
} from "./store.ts";

/** The ref of the site's history, and what the refs of runs begin with. */
const mainName = "main";
export const runPrefix = "run/";

/** The folders whose files all nodes have: of media, of what they were cropped from, and for agents. */
export const sharedFolders = [
  `content/${mediaFolder}/`,
  "data/media-originals/",
  "data/references/",
];

const defaultMaxPacks = 64;

export interface SharedContentDependencies {
  db: Db;
  packs: Packs;
  files: SharedFiles;
  /**
   * With more packs than this, one pack with all of `main` replaces them, so that a new node gets few; defaults to
   * 64.
   */
  maxPacks?: number | undefined;
}

/** The content repository as all nodes share it. */
export interface SharedContent extends ContentRemote {
  /** Forgets the files of all runs but these. */
  pruneRuns(inUse: ReadonlySet<string>): Promise<void>;
}

async function isAncestor({ git }: Repository, commit: string, of: string): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", "--end-of-options", commit, of];
  return (await git(args, { exitCodes: [0, 1, 128] })).exitCode === 0;
}

/** A commit that this node was moving to when it was killed, if it is between two others. */
async function findInterrupted(
  repository: Repository,
  from: string,
  to: string,
): Promise<string | null> {
  const incoming = await findIncoming(repository);
  if (incoming === null || incoming === from || incoming === to) return null;
  const isBetween =
    (await isAncestor(repository, from, incoming)) && (await isAncestor(repository, incoming, to));
  return isBetween ? incoming : null;
}

/** Moves `main` and content/ of this node to a commit that it has. */
async function forward(repository: Repository, from: string | null, to: string): Promise<void> {
  const interrupted = from === null ? null : await findInterrupted(repository, from, to);
  if (interrupted !== null) {
    await forward(repository, from, interrupted);
    return forward(repository, interrupted, to);
  }
  // Without `main`, all files are written again.
  if (from === null) {
    await repository.git(["read-tree", "--reset", "-u", to], { timeoutMs: packTimeoutMs });
  } else await updateContentFirst(repository, from, to);
  // Last, so that the next time completes what a kill interrupts.
  await repository.git(["update-ref", "-m", "from another node", mainRef, to, from ?? ""]);
}

/** Replaces many packs of `main` by one. */
async function repack(
  { db, packs, maxPacks = defaultMaxPacks }: SharedContentDependencies,
  repository: Repository,
): Promise<void> {
  const rows = await listPacks(db, mainName);
  const last = rows.at(-1);
  if (rows.length <= maxPacks || last === undefined) return;
  const { id, object_id } = last;
  const blob_name = await packs.store(repository, null, object_id);
  await db.transaction().execute(async (transaction) => {
    // Another node has done it, or has added one that this one lacks.
    if ((await listPacks(transaction, mainName)).at(-1)?.id !== id) return;
    await deletePacks(
      transaction,
      rows.map((row) => row.id),
    );
    await insertPack(transaction, { ref: mainName, base_id: null, object_id, blob_name });
  });
}

async function push(
  { db, packs }: SharedContentDependencies,
  repository: Repository,
  { from, to, guard = async () => true }: Parameters<ContentRemote["push"]>[1],
): Promise<boolean> {
  const blob_name = await packs.store(repository, from, to);
  return db.transaction().execute(async (transaction) => {
    // The guard first: whoever undoes a publish locks its row before looking at the ref.
    if (!(await guard(transaction))) return false;
    if (!(await moveRef(transaction, { name: mainName, from, to }))) return false;
    await insertPack(transaction, { ref: mainName, base_id: from, object_id: to, blob_name });
    return true;
  });
}

async function syncMain(deps: SharedContentDependencies, repository: Repository): Promise<void> {
  const shared = await findRef(deps.db, mainName);
  const own = await mainHead(repository).catch(() => null);
  if (shared === own) return;
  if (shared === null) {
    if (own !== null) await push(deps, repository, { from: null, to: own });
    return;
  }
  await deps.packs.fetch(repository, mainName);
  if (own === null || (await isAncestor(repository, own, shared))) {
    await forward(repository, own, shared);
  } else if (!(await isAncestor(repository, shared, own))) {
    const message = "The content repository of this node has commits that no other node has.";
    throw new AppError("conflict", message);
  } else if (!(await push(deps, repository, { from: shared, to: own }))) {
    throw new AppError("locked", "Another node has changed the content. Try again.");
  }
  await repack(deps, repository);
}

/** Opens the content repository of an instance. */
export function makeSharedContent(deps: SharedContentDependencies): SharedContent {
  const { db, packs, files } = deps;
  const mutex = makeKeyedMutex();

  async function sync(repository: Repository): Promise<void> {
    await syncMain(deps, repository);
    // Those that no commit has yet; builds and previews show them.
    await files.sync(sharedFolders);
  }

  return {
    push: (repository, move) => push(deps, repository, move),
    sync: (repository) => mutex.run("sync", () => sync(repository)),
    head: (transaction) => findRef(transaction, mainName),
    async putRun(repository, { runId, baseCommit, tree }) {
      const ref = runPrefix + runId;
      const blob_name = await packs.store(repository, baseCommit, tree);
      await db.transaction().execute(async (transaction) => {
        await deleteRef(transaction, ref);
        await moveRef(transaction, { name: ref, from: null, to: tree });
        await insertPack(transaction, { ref, base_id: baseCommit, object_id: tree, blob_name });
      });
    },
    async getRun(repository, runId) {
      if ((await findRef(db, runPrefix + runId)) === null)
        throw new AppError("not_found", "The files of this run have been deleted.");
      await packs.fetch(repository, runPrefix + runId);
    },
    async pruneRuns(inUse) {
      for (const name of await listRefs(db, runPrefix)) {
        if (!inUse.has(name.slice(runPrefix.length))) await deleteRef(db, name);
      }
    },
  };
}
