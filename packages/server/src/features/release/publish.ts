import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { ProcessLock } from "../../platform/lock.ts";
import {
  actorIdentity,
  commitMessage,
  moveMain,
  findTree,
  writeCommit,
} from "../workspace/commit.ts";
import { exportRecords } from "../projects/export.ts";
import type { RecordChange } from "../projects/run-changes/change.ts";
import { projectsFile } from "../workspace/content-paths.ts";
import { mainHead } from "../workspace/git.ts";
import { updateContentFirst } from "../workspace/incoming.ts";
import { mergeOnto } from "../workspace/merge.ts";
import { treeWithText } from "../workspace/tree-with.ts";
import { resetWorkspace, type Workspace, type Writer } from "../workspace/workspace.ts";
import {
  assertDiskSpace,
  type PublishCheck,
  checkPublish,
  publishBase,
  reservedBytes,
} from "./publish-check.ts";
import { assertFinalized, recoverAll } from "./recover.ts";
import {
  type PublishedChange,
  type PublishStep,
  rollForward,
  finalize,
  type FinalizeDependencies,
} from "./finalize.ts";
import type { PrivateComparison } from "./private/compare-sites.ts";
import type { PrivateGate } from "./private/private-gate.ts";
import { discardStaged, type ReleaseSource, stageRelease } from "./stage-release.ts";
import { findIntent, insertIntent, lockReady, type PublishIntent, setReady } from "./store.ts";
import { liveRelease, nextRelease, openPublishLock } from "./current-symlink.ts";
import { highestNumber, releaseWithoutCommit } from "./release-without-commit.ts";

export interface PublishRequest {
  runId: string;
  workspace: Workspace;
  /** What the admin saw: exactly this goes live, unless `main` has moved. */
  artifact: ReleaseSource;
  /** The workspace's tree when the artifact was built; a workspace changed since is refused. */
  tree?: string;
  /** The commit's subject. */
  message: string;
  actor: string;
  trailers: Record<string, string>;
  /** Builds the workspace after merging it with the new `main`; throws to refuse. */
  rebuild(workspace: Workspace): Promise<ReleaseSource>;
  changelog: PublishedChange | null;
  /**
   * Defaults to a run: determines what it may change, and whether manual edits in content/ block
   * it. If a rebuild's commit doesn't change the site's files, no new release is made.
   */
  writer?: Writer;
  /** How long to wait for another publish, in ms. */
  waitMs?: number;
  /** Aborts that wait with its reason; a publish that has started continues. */
  signal?: AbortSignal | undefined;
  /** The fingerprint of private text that the owner confirms with this. */
  confirmPrivate?: string | null;
  /** Called if what goes live contains private text that the owner has confirmed. */
  onPrivate?(confirmed: PrivateComparison): Promise<void>;
  /**
   * Its record changes; `onPublished` writes them to the records. The commit contains the resulting
   * records, and no changed files are needed.
   */
  recordChanges?: readonly RecordChange[];
  /**
   * The last rebuild that had started before the artifact was built. If there is another one when the
   * publish is recorded, the site is built again, because that one may have shown newer records.
   */
  rebuildBefore?: number;
  /** Runs in the transaction that stores the publish: if it throws, nothing has started. */
  onStart?(transaction: Db): Promise<void>;
}

export interface Published {
  commit: string;
  release: number;
  rebuilt: boolean;
}

export interface Publisher {
  /**
   * Publishes a run's changes: one commit on `main`, one release, one changelog entry, all or
   * nothing. If it throws before `main` has moved, nothing has changed. Throws `dirty_tree` with
   * files edited manually or outside the write paths, `conflict` with files that can't be merged or
   * are damaged, `invalid_state` if there is nothing to publish or the run is published, `locked`
   * during another publish, the errors of `rebuild`, `disk_full` with less than 80 MiB left,
   * `unavailable` while an earlier publish can't be ended, PrivateTextError for unconfirmed private
   * text. If a step after the move of `main` fails twice, the next publish or startup completes it.
   */
  publish(request: PublishRequest): Promise<Published>;
  /**
   * Publishes an artifact without a commit: same files, other records. Does nothing if it is
   * already live. `base` is the commit it was built from: if `main` has moved, nothing is released
   * and `release` is null.
   */
  release(artifact: ReleaseSource, deps?: { base?: string }): Promise<{ release: number | null }>;
  /** At startup: ends unfinished publishes. Does nothing while another process publishes. */
  recover(): Promise<void>;
  close(): void;
}

/** The dependencies of every publish. */
type PublishDependencies = FinalizeDependencies & Pick<PublisherDependencies, "gate">;

export interface PublisherDependencies extends Omit<FinalizeDependencies, "keepReleases" | "step"> {
  /** How many releases are kept; defaults to 10. */
  keepReleases?: number;
  /** How long a publish waits for another one, in ms; defaults to 5,000. */
  waitMs?: number;
  /** Held during a publish; by default that of the processes on this machine. */
  lock?: ProcessLock;
  /** Checks everything that would go live for private text. */
  gate?: Pick<PrivateGate, "assertPublic">;
  /** The free bytes required to start a publish; defaults to 80 MiB. */
  reserveBytes?: number;
  /** Called after each step; for tests that stop there. */
  onStep?: (name: PublishStep) => void | Promise<void>;
}

/** How often `main` may move during a publish before it gives up. */
const maxMainMoves = 3;

async function openIntent(
  deps: FinalizeDependencies,
  request: PublishRequest,
  tree: string,
): Promise<PublishIntent> {
  const intent: PublishIntent = {
    run_id: request.runId,
    state: "open",
    actor: request.actor,
    base_commit: request.workspace.baseCommit,
    workspace_tree: tree,
    artifact: request.artifact.sha,
    change_json: request.changelog === null ? null : JSON.stringify(request.changelog),
    commit_sha: null,
    release_number: null,
    created_at: isoTime(deps.clock.now()),
    finished_at: null,
  };
  const inserted = await deps.db.transaction().execute(async (transaction) => {
    await request.onStart?.(transaction);
    return insertIntent(transaction, intent);
  });
  if (inserted) return intent;
  const existing = await findIntent(deps.db, request.runId);
  if (existing?.state === "done") {
    throw new AppError("invalid_state", "The run has already been published.", {
      details: { status: "published" },
    });
  }
  throw new AppError("locked", "The run is being published.");
}

interface Change {
  commit: string;
  artifact: ReleaseSource;
  rebuilt: boolean;
}

function hasRecordChanges({ recordChanges = [] }: PublishRequest): boolean {
  return recordChanges.length > 0;
}

/** A tree with the exported records as they will be with the request's changes. */
async function withRecords(
  { db, repository }: FinalizeDependencies,
  request: PublishRequest,
  tree: string,
): Promise<string> {
  if (!hasRecordChanges(request)) return tree;
  const text = await exportRecords(db, request.recordChanges);
  return treeWithText(repository, tree, { path: projectsFile, text });
}

/** The commit on top of `main`, and its artifact. */
async function makeChange(
  deps: FinalizeDependencies,
  request: PublishRequest,
  { main, tree }: PublishCheck,
): Promise<Change> {
  const { repository, clock } = deps;
  const { workspace, actor } = request;
  const base = workspace.baseCommit;
  const facts = {
    message: commitMessage(request.message, request.trailers),
    author: actorIdentity(actor),
    at: clock.now(),
  };
  if (main === base) {
    const whole = await withRecords(deps, request, tree);
    const commit = await writeCommit(repository, { ...facts, tree: whole, parent: base });
    return { commit, artifact: request.artifact, rebuilt: false };
  }
  const commit = await writeCommit(repository, { ...facts, tree, parent: base });
  const merged = await mergeOnto(repository, main, commit);
  if (!hasRecordChanges(request) && merged === (await findTree(repository, main))) {
    throw new AppError("invalid_state", "The site already contains this change.");
  }
  const to = { baseCommit: main, tree: merged };
  const artifact = await request.rebuild(await resetWorkspace(repository, request.runId, to));
  const whole = await withRecords(deps, request, merged);
  const onTop = await writeCommit(repository, { ...facts, tree: whole, parent: main });
  return { commit: onTop, artifact, rebuilt: true };
}

/**
 * Compares an artifact with private texts while release `n` is made of it, unless that is null. Returns
 * what the owner has confirmed. Throws PrivateTextError, and the errors of `stageRelease`; then nothing
 * is left of the release.
 */
async function stageIfPublic(
  { gate, paths }: PublishDependencies,
  { confirmPrivate, recordChanges }: PublishRequest,
  artifact: ReleaseSource,
  n: number | null,
): Promise<PrivateComparison | null> {
  const [compared, staged] = await Promise.allSettled([
    gate?.assertPublic(artifact.dir, confirmPrivate, recordChanges),
    n === null ? undefined : stageRelease(paths, artifact, n),
  ]);
  if (compared.status === "fulfilled" && staged.status === "fulfilled")
    return compared.value ?? null;
  if (n !== null) await discardStaged(paths, n);
  throw compared.status === "rejected" ? compared.reason : (staged as PromiseRejectedResult).reason;
}

/** Everything that can fail is done before `main` moves; what follows only needs to be repeated. */
async function advance(
  deps: PublishDependencies,
  request: PublishRequest,
  checked: PublishCheck,
): Promise<{ intent: PublishIntent; rebuilt: boolean }> {
  const { db, repository, paths, shared, step } = deps;
  let { main } = checked;
  const { writer = "run" } = request;
  const next = await nextRelease(paths, await highestNumber(deps));
  const live = writer === "rebuild" ? await liveRelease(paths) : null;
  for (let move = 0; move < maxMainMoves; move += 1) {
    const change = await makeChange(deps, request, { main, tree: checked.tree });
    await step("commit");
    const { commit, artifact, rebuilt } = change;
    const release = live?.sha === artifact.sha ? live.release : next;
    const confirmed = await stageIfPublic(deps, request, artifact, release === next ? next : null);
    if (confirmed) await request.onPrivate?.(confirmed);
    await shared?.storeArtifact(artifact.sha);
    await step("staged");
    const prepared = { commit_sha: commit, release_number: release, artifact: artifact.sha };
    await setReady(db, request.runId, prepared);
    await step("ready");
    const { runId } = request;
    const guard = (transaction: Db) => lockReady(transaction, runId, commit);
    // If this node is killed in between, another one completes the publish, but not the files of this one.
    const from = main;
    const before = () => updateContentFirst(repository, from, commit);
    const toCommit = { from, to: commit, reason: `publish ${runId}`, guard, before };
    if (await moveMain(repository, toCommit)) {
      await step("moved");
      const intent = await findIntent(db, request.runId);
      if (!intent) throw new AppError("internal", "The publish lost its record.");
      return { intent, rebuilt };
    }
    main = await publishBase(repository, writer);
  }
  throw new AppError("conflict", "The content is being changed. Try again in a moment.");
}

/**
 * Ends a failed publish: true if its commit is on `main` and everything is complete after all. What
 * can't be ended now is ended by the next publish, or at startup.
 */
async function afterFailure(deps: FinalizeDependencies, runId: string): Promise<boolean> {
  try {
    const intent = await findIntent(deps.db, runId);
    return intent !== undefined && (await finalize(deps, intent)) === "published";
  } catch (error) {
    deps.log.error({ runId, error }, "couldn't finish or roll back a failed publish yet");
    return false;
  }
}

async function publishOne(deps: PublishDependencies, request: PublishRequest): Promise<Published> {
  const { runId } = request;
  const checked = await checkPublish(deps.repository, request);
  await deps.step("checked");
  await openIntent(deps, request, checked.tree);
  await deps.step("intent");
  let rebuilt = false;
  try {
    const advanced = await advance(deps, request, checked);
    rebuilt = advanced.rebuilt;
    await rollForward(deps, advanced.intent, request.rebuildBefore);
  } catch (error) {
    if (!(await afterFailure(deps, runId))) throw error;
    deps.log.warn({ runId, error }, "a publish was completed on the second attempt");
  }
  const { commit_sha: commit, release_number: release } = (await findIntent(deps.db, runId)) ?? {};
  if (!commit || !release) throw new AppError("internal", "The publish lost its record.");
  return { commit, release, rebuilt };
}

/** Brings this node up to date with the others. */
async function catchUp({ repository, shared }: PublishDependencies): Promise<void> {
  await repository.remote?.sync(repository);
  await shared?.follow();
}

/** How long a release waits for other nodes once others may publish, in ms. */
const followMs = 4000;

/** Creates the publisher; call `recover` once before anything else. */
export function makePublisher(publisherDependencies: PublisherDependencies): Publisher {
  const { paths, waitMs = 5000 } = publisherDependencies;
  const deps: PublishDependencies = {
    ...publisherDependencies,
    keepReleases: publisherDependencies.keepReleases ?? 10,
    step: publisherDependencies.onStep ?? (() => {}),
  };
  const lock = publisherDependencies.lock ?? openPublishLock(paths);

  async function prepare(): Promise<void> {
    await assertDiskSpace(paths, publisherDependencies.reserveBytes ?? reservedBytes);
    await catchUp(deps);
    await assertFinalized(deps);
  }

  return {
    async publish(request) {
      const published = await lock.run(
        async () => {
          await prepare();
          return publishOne(deps, request);
        },
        { waitMs: request.waitMs ?? waitMs, signal: request.signal },
      );
      await deps.shared?.waitForNodes(published.release, followMs);
      return published;
    },
    async release(artifact, { base } = {}) {
      const released = await lock.run(
        async () => {
          await prepare();
          if (base !== undefined && (await mainHead(deps.repository)) !== base) {
            return { release: null };
          }
          return releaseWithoutCommit(deps, artifact);
        },
        { waitMs: 120_000 },
      );
      if (released.release !== null) await deps.shared?.waitForNodes(released.release, followMs);
      return released;
    },
    async recover() {
      const recoverHere = async () => {
        await catchUp(deps);
        await recoverAll(deps);
      };
      try {
        await lock.run(recoverHere, { waitMs: 1000 });
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "locked") throw error;
        deps.log.info("another process is publishing; nothing to recover");
      }
    },
    close: () => lock.close(),
  };
}
