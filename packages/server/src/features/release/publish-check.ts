import { statfs } from "node:fs/promises";
import { AppError } from "../../kit/errors.ts";
import type { DiskQuota } from "../../platform/disk-quota.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { treeChanges } from "../workspace/commit.ts";
import { assertContentClean, contentState } from "../workspace/content-tree.ts";
import type { Repository } from "../workspace/git.ts";
import { assertWritable, treeId, type Workspace, type Writer } from "../workspace/workspace.ts";

/** The starting point of a publish. */
export interface PublishCheck {
  /** The head of `main`. */
  main: string;
  /** The workspace's files. */
  tree: string;
}

/**
 * A publish needs this much free space to start, because what follows the move of `main` must not
 * fail for lack of it. Covers the largest change that a workspace may contain.
 */
export const reservedBytes = 80 * 1024 * 1024;

async function hasDiskSpace(
  paths: Pick<InstancePaths, "data" | "content">,
  bytes: number,
): Promise<boolean> {
  const disks = await Promise.all([statfs(paths.data), statfs(paths.content)]);
  return disks.every((disk) => disk.bavail * disk.bsize >= bytes);
}

/** Throws `disk_full` if the instance's disks have less than `bytes` left. */
export async function assertDiskSpace(paths: InstancePaths, bytes: number): Promise<void> {
  if (await hasDiskSpace(paths, bytes)) return;
  throw new AppError(
    "disk_full",
    "The disk is nearly full. Nothing was published. Free some space, then publish again.",
  );
}

/**
 * Throws `disk_full` if a change that is made now could neither be built nor published; call before
 * an agent is paid for it.
 */
export async function assertSpaceForChange(
  paths: Pick<InstancePaths, "data" | "content">,
  quota: Pick<DiskQuota, "assertReserve">,
): Promise<void> {
  await quota.assertReserve();
  if (await hasDiskSpace(paths, reservedBytes)) return;
  throw new AppError(
    "disk_full",
    `The disk is nearly full: a change needs ${reservedBytes / 2 ** 20} MiB. Free some space.`,
  );
}

/**
 * The head of `main`. Manual edits in content/ block a run, which changes the files that people
 * edit; a rebuild leaves them as they are. Throws `dirty_tree`.
 */
export async function publishBase(repository: Repository, writer: Writer): Promise<string> {
  if (writer === "run") return assertContentClean(repository);
  return (await contentState(repository)).head;
}

/**
 * Checks whether a workspace can be published, without changing anything. `tree` is what the admin
 * saw. Throws `conflict` if the workspace has changed since, `invalid_state` if it has no change,
 * `dirty_tree` with files edited manually or outside what this writer may change.
 */
export async function checkPublish(
  repository: Repository,
  {
    workspace,
    tree: seen,
    writer = "run",
    recordChanges = [],
  }: {
    workspace: Workspace;
    tree?: string;
    writer?: Writer;
    recordChanges?: readonly unknown[];
  },
): Promise<PublishCheck> {
  const changesTo = (tree: string) => treeChanges(repository, workspace.baseCommit, tree);
  // Waits for all, so that nothing is still running when one fails.
  const [content, own, expected] = await Promise.allSettled([
    publishBase(repository, writer),
    treeId(repository, workspace),
    seen === undefined ? undefined : changesTo(seen),
  ]);
  if (content.status === "rejected") throw content.reason;
  if (own.status === "rejected") throw own.reason;
  const [main, tree] = [content.value, own.value];
  if (seen !== undefined && seen !== tree) {
    throw new AppError(
      "conflict",
      "The files have changed since the preview was built. Build the preview again.",
    );
  }
  if (expected.status === "rejected") throw expected.reason;
  const changes = expected.value ?? (await changesTo(tree));
  if (changes.length === 0 && recordChanges.length === 0) {
    throw new AppError("invalid_state", "There is nothing to publish.");
  }
  assertWritable(changes, writer);
  return { main, tree };
}
