import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "../../platform/db/connect.ts";
import { undefinedIfMissing } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { isStored } from "../release/artifact/stored-artifacts.ts";
import { currentRelease } from "../release/current-symlink.ts";
import { contentState, listUncommitted } from "../workspace/content-tree.ts";
import { mainHead, mainRef, type Repository } from "../workspace/git.ts";
import { listWorkspaces } from "../workspace/workspace.ts";
import { listFinished } from "./shared-files.ts";
import { artifactFolder } from "./shared-artifacts.ts";
import { runPrefix, sharedFolders } from "./shared-content.ts";
import type { SharedStorage } from "./shared-storage.ts";
import { findFiles, findRef, isShared, listFilesBelow, listReleases } from "./store.ts";

export interface FindUnstoredDependencies {
  db: Db;
  shared: SharedStorage;
  repository: Repository;
  paths: InstancePaths;
  now: number;
  /** The artifacts that somebody may still want to see or publish. */
  listArtifacts(): Promise<readonly string[]>;
}

/** Files that are older and that nothing names belong to nobody: a node that runs would remove them. */
const recentMs = 24 * 60 * 60 * 1000;

async function findInRepository({
  db,
  shared,
  repository,
}: FindUnstoredDependencies): Promise<string | null> {
  const { stdout } = await repository.git(["for-each-ref", "--format=%(refname)"]);
  const known = (ref: string) => ref === "" || ref === mainRef || ref.startsWith("refs/vitrine/");
  const other = stdout.split("\n").find((ref) => !known(ref));
  if (other !== undefined) return `content/ has ${other}`;
  await contentState(repository);
  const [edited] = await listUncommitted(repository);
  if (edited !== undefined) return `${edited} was edited by hand`;
  const isCurrent = async () => (await mainHead(repository)) === (await shared.content.head(db));
  // Commits that only this node has get to the others.
  if (!(await isCurrent())) await shared.content.sync(repository);
  return (await isCurrent()) ? null : "content/ isn't what all nodes have";
}

async function findFile({ db, paths, now }: FindUnstoredDependencies): Promise<string | null> {
  for (const folder of sharedFolders) {
    const stored = new Set((await listFilesBelow(db, folder)).map(({ path }) => path));
    for (const path of await listFinished(paths.dir, folder)) {
      if (stored.has(path)) continue;
      const info = await undefinedIfMissing(lstat(join(paths.dir, path)));
      if (info !== undefined && now - info.mtimeMs < recentMs) return path;
    }
  }
  return null;
}

async function findBuild(deps: FindUnstoredDependencies): Promise<string | null> {
  const { db, repository, paths, listArtifacts } = deps;
  const [newest] = await listReleases(db, 1);
  const release = await currentRelease(paths);
  if ((release ?? 0) > (newest?.release_number ?? 0)) return `the release ${release}`;
  for (const sha of await listArtifacts()) {
    if (!(await isStored(join(paths.artifacts, sha)))) continue;
    if ((await findFiles(db, [artifactFolder + sha])).length === 0) return `the build ${sha}`;
  }
  for (const id of await listWorkspaces(repository)) {
    if ((await findRef(db, runPrefix + id)) === null) return `the workspace of the run ${id}`;
  }
  return null;
}

/**
 * What this node has of an instance that other nodes couldn't get, in words; null if everything is stored.
 * Commits that only this node has are stored first. The caller holds the lock of publishing.
 */
export async function findUnstored(deps: FindUnstoredDependencies): Promise<string | null> {
  if (!(await isShared(deps.db))) return "nothing of it is in the object store";
  // Files first: bringing the repository up to date removes those that aren't stored.
  return (await findFile(deps)) ?? (await findInRepository(deps)) ?? (await findBuild(deps));
}
