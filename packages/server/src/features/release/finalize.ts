import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { headWithParent, isOnMain } from "../workspace/commit.ts";
import { updateContent } from "../workspace/content-tree.ts";
import type { Repository } from "../workspace/git.ts";
import { openWorkspace, resetWorkspace, treeId } from "../workspace/workspace.ts";
import { requestRebuild } from "./rebuild-requests.ts";
import { lastStartedId } from "./rebuild-store.ts";
import { discardStaged, stageRelease } from "./stage-release.ts";
import { deleteIntent, type PublishIntent, setDone } from "./store.ts";
import { activateRelease, hasRelease, pruneReleases } from "./current-symlink.ts";

/** The changelog entry of a publish. */
export interface PublishedChange {
  kind: string;
  title: string;
  detail: string;
  at: string;
  actor: string;
  /** Not shown to visitors. */
  isHidden?: boolean;
}

/** What went live, and the changelog entry that it was built with, as JSON. */
export interface PublishedRun {
  runId: string;
  commit: string;
  release: number;
  artifact: string;
  change: string | null;
}

/** Called when a publish ends. */
export interface PublishHooks {
  /** In the transaction that completes the publish: if it throws, it is retried at startup. */
  onPublished(transaction: Db, published: PublishedRun): Promise<void>;
  /**
   * After recovery has rolled back an unfinished publish; not called if `publish` itself throws.
   */
  onRolledBack(rolledBack: { runId: string }): Promise<void>;
}

/**
 * The steps of a publish in order, except that `content` and `released` run at the same time; each is
 * reported when it is done.
 */
export type PublishStep =
  | "checked"
  | "intent"
  | "commit"
  | "staged"
  | "ready"
  | "moved"
  | "content"
  | "released"
  | "recorded"
  | "pruned";

/** What the nodes of an instance without a common disk share of its releases. */
export interface SharedReleases {
  /** Stores an artifact of this node; durable once this resolves. */
  storeArtifact(sha: string): Promise<void>;
  /** Has a stored artifact on this node. Throws `not_found` if no node has stored it. */
  fetchArtifact(sha: string): Promise<void>;
  /** The highest number of a release that is or was live; 0 before the first. */
  highest(): Promise<number>;
  /**
   * Makes a release of a stored artifact live for all nodes. Throws `locked` if another node has given
   * its number to another one.
   */
  announce(release: { release: number; artifact: string }): Promise<void>;
  /**
   * Waits until all other nodes serve a release, at most so long: nodes can be lost, and may need the
   * publish lock for that.
   */
  waitForNodes(release: number, maxMs: number): Promise<void>;
  /** Has the newest release live on this node. The caller holds the publish lock. */
  follow(): Promise<void>;
}

export interface FinalizeDependencies {
  db: Db;
  repository: Repository;
  paths: InstancePaths;
  clock: Clock;
  log: Log;
  hooks: PublishHooks;
  /** Adds the changelog entry of a publish. */
  addChange(transaction: Db, entry: PublishedChange & { commit: string }): Promise<void>;
  keepReleases: number;
  /** Null or none for an instance on one disk. */
  shared?: SharedReleases | null | undefined;
  step(name: PublishStep): void | Promise<void>;
}

async function finishContent(
  { repository, log }: FinalizeDependencies,
  commit: string,
): Promise<void> {
  const { head, parent } = await headWithParent(repository);
  if (head !== commit) {
    // Somebody has committed on top manually since, so the work tree is theirs.
    log.warn({ commit }, "main has moved on; content/ wasn't changed");
    return;
  }
  if (parent !== null) await updateContent(repository, parent, commit);
}

async function finishRelease(
  { db, paths, clock, log, shared }: FinalizeDependencies,
  intent: PublishIntent,
  release: number,
): Promise<void> {
  if (!(await hasRelease(paths, release))) {
    log.warn({ release }, "a staged release is missing; making it again from its artifact");
    const source = { sha: intent.artifact, dir: join(paths.artifacts, intent.artifact) };
    await shared?.fetchArtifact(intent.artifact);
    try {
      await stageRelease(paths, source, release);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "conflict") throw error;
      // It can't be completed any more, and `main` has the change: a build of it shows the change.
      log.error({ release, error }, "couldn't make a release; building the site again instead");
      return requestRebuild(db, { reason: "a release was damaged", now: clock.now() });
    }
  }
  // All nodes follow what is announced, this one as well if it is killed in between.
  await shared?.announce({ release, artifact: intent.artifact });
  await activateRelease(paths, release);
}

/**
 * The last rebuild that had started before a publish was built; another one since may have shown newer
 * records. Unknown after the end of the process, undefined if nobody asks.
 */
export type RebuildBefore = number | "unknown" | undefined;

/** Whether a publish may have replaced a site with newer records; never that of a rebuild. */
async function mayBeOutdated(
  transaction: Db,
  { run_id: runId }: PublishIntent,
  rebuildBefore: RebuildBefore,
): Promise<boolean> {
  if (rebuildBefore === undefined || runId.startsWith("rebuild-")) return false;
  return rebuildBefore === "unknown" || (await lastStartedId(transaction)) !== rebuildBefore;
}

interface Published {
  commit: string;
  release: number;
  rebuildBefore: RebuildBefore;
}

async function record(
  { db, clock, hooks, addChange }: FinalizeDependencies,
  intent: PublishIntent,
  { commit, release, rebuildBefore }: Published,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (!(await setDone(transaction, intent.run_id, isoTime(clock.now())))) return;
    if (await mayBeOutdated(transaction, intent, rebuildBefore)) {
      const reason = "a run was published at the same time";
      await requestRebuild(transaction, { reason, now: clock.now() });
    }
    const { run_id: runId, artifact, change_json: change } = intent;
    await hooks.onPublished(transaction, { runId, commit, release, artifact, change });
    if (change !== null) {
      await addChange(transaction, { ...(JSON.parse(change) as PublishedChange), commit });
    }
  });
}

/** How long a publish waits for other nodes before others may publish, in ms. */
const promptMs = 1000;

/** Completes a publish whose commit is on `main`. Each part may have been done before. */
export async function rollForward(
  deps: FinalizeDependencies,
  intent: PublishIntent,
  rebuildBefore?: RebuildBefore,
): Promise<void> {
  const { paths, log, keepReleases, shared, step } = deps;
  const { commit_sha: commit, release_number: release } = intent;
  if (commit === null || release === null) throw new Error("A ready publish lacks its commit.");
  // Visitors don't wait for the work tree of content/.
  const [content, released] = await Promise.allSettled([
    finishContent(deps, commit).then(() => step("content")),
    finishRelease(deps, intent, release).then(() => step("released")),
  ]);
  if (content.status === "rejected") throw content.reason;
  if (released.status === "rejected") throw released.reason;
  // What is recorded says that it is live. Most nodes follow at once; others don't keep the lock.
  await shared?.waitForNodes(release, promptMs);
  await record(deps, intent, { commit, release, rebuildBefore });
  await step("recorded");
  await pruneReleases(paths, keepReleases).catch((error: unknown) => {
    log.warn({ error }, "old releases could not be removed");
  });
  await step("pruned");
}

/** Restores a workspace to its state before its publish, from anywhere in a merge. */
async function undoMerge(repository: Repository, intent: PublishIntent): Promise<void> {
  const { run_id: runId, base_commit: baseCommit, workspace_tree: tree } = intent;
  const workspace = await openWorkspace(repository, runId).catch(() => null);
  if (workspace === null) return;
  // If a merge was killed, the files are on the old base, and git knows only some of them. This
  // adds all of them to the index, so that the reset removes them.
  const now = await treeId(repository, workspace).catch(() => null);
  if (workspace.baseCommit === baseCommit && now === tree) return;
  const before = { baseCommit, tree };
  await resetWorkspace(repository, runId, before);
  // If the index couldn't be read before, git knows all files only now.
  const isWhole = now !== null || (await treeId(repository, workspace)) === tree;
  if (!isWhole) await resetWorkspace(repository, runId, before);
}

/**
 * Rolls back a publish whose commit isn't on `main`, which was seen at `head` by all nodes: restores its
 * workspace and leaves no trace. Throws `locked` if `main` has moved since.
 */
async function rollBack(
  { db, repository, paths }: FinalizeDependencies,
  intent: PublishIntent,
  head: string | null,
): Promise<void> {
  if (intent.release_number !== null) await discardStaged(paths, intent.release_number);
  await undoMerge(repository, intent);
  await db.transaction().execute(async (transaction) => {
    await deleteIntent(transaction, intent.run_id);
    // Another node that still publishes it locks its row before it moves `main`.
    const present = (await repository.remote?.head(transaction)) ?? null;
    if (present !== head) throw new AppError("locked", "Another node has just published.");
  });
}

/**
 * Ends an unfinished publish. The point of no return is the move of `main`: after it, the publish
 * is completed, before it, rolled back.
 */
export async function finalize(
  deps: FinalizeDependencies,
  intent: PublishIntent,
): Promise<"published" | "rolled back"> {
  const { repository, db } = deps;
  const commit = intent.state === "ready" ? intent.commit_sha : null;
  const head = (await repository.remote?.head(db)) ?? null;
  await repository.remote?.sync(repository);
  if (commit !== null && (await isOnMain(repository, commit))) {
    await rollForward(deps, intent, "unknown");
    return "published";
  }
  await rollBack(deps, intent, head);
  return "rolled back";
}
