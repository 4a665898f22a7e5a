import { join } from "node:path";
import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { isStored } from "../release/artifact/stored-artifacts.ts";
import type { Artifact } from "../release/builder/build.ts";
import { audienceHash } from "../release/export.ts";
import { lastStartedId } from "../release/rebuild-store.ts";
import type { PrivateRefusal } from "../release/private/schema.ts";
import type { PublishRequest } from "../release/publish.ts";
import type { ReleaseSource } from "../release/stage-release.ts";
import type { PublishHooks } from "../release/finalize.ts";
import { findIntent } from "../release/store.ts";
import type { RecordChange } from "../projects/run-changes/change.ts";
import {
  applyChanges,
  assertNoConflicts,
  RecordsChanged,
  reserveChanges,
} from "../projects/run-changes/publish-changes.ts";
import { listChanges } from "../projects/run-changes/store.ts";
import { mainHead } from "../workspace/git.ts";
import { removeFinishedWorkspace, type Workspace } from "../workspace/workspace.ts";
import { saveCheckReport } from "./check-store.ts";
import { insertEvents } from "./event-store.ts";
import { assertNoBlankPages, inspectPreview } from "./inspect-preview.ts";
import { findRequest, type RunRequest } from "./request-store.ts";
import { toPublicChange } from "./records/record-diffs.ts";
import { assertNoRestrictedMedia } from "./records/restricted-media.ts";
import type { RunChange } from "./run-change.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { invalidStateError } from "./run-status.ts";
import { listRunOwners, setRunOwner } from "./runners/store.ts";
import { type BuildReport, fileDiff, type RunEvent } from "./schema.ts";
import { readRunChange } from "./serialize-run.ts";
import {
  compareAndSetStatus,
  findDiff,
  findRun,
  findStatus,
  lockRun,
  type RunRow,
} from "./store.ts";
import { findRunTask, type RunTask } from "./task-store.ts";
import { makeWorkspaceBuilder } from "./workspace-builder.ts";
import { openRunWorkspace } from "./run-workspace.ts";

/**
 * What the publisher calls for runs: in the transaction that makes a run live, or after its publish
 * was rolled back. Pass it to the publisher.
 */
export function makePublishHooks(
  deps: Pick<RunDependencies, "db" | "clock" | "events">,
): PublishHooks {
  const { db, clock, events } = deps;
  return {
    async onPublished(trx, { runId, commit, release, artifact, change }) {
      const at = isoTime(clock.now());
      await applyChanges(trx, runId);
      const row = await findRun(trx, runId);
      // Ready: a runner presumed dead at its start has published it after all.
      const won = await compareAndSetStatus(trx, runId, ["publishing", "preview_ready"], {
        status: "published",
        commit_sha: commit,
        release_number: release,
        // What went live may have been built again, with a new changelog entry.
        artifact_sha: artifact,
        changelog: change,
        error: null,
        finished_at: at,
      });
      if (!row || !won) return;
      const finished: RunEvent = {
        type: "run.finished",
        data: { status: "published", commit, message: row.message },
      };
      const status: RunEvent = { type: "run.status", data: { status: "published" } };
      await insertEvents(trx, runId, [status, finished], at);
    },
    async onRolledBack({ runId }) {
      if ((await findStatus(db, runId)) !== "publishing") return;
      await events.transition(runId, ["publishing"], { status: "preview_ready" });
    },
  };
}

/** The artifact of a run's preview. */
function readArtifact(
  row: RunRow,
  { artifactsDir, builder }: Pick<RunDependencies, "artifactsDir" | "builder">,
): Artifact & Pick<ReleaseSource, "verified"> {
  if (row.artifact_sha === null || row.artifact_stats === null) {
    throw new AppError("internal", `Run ${row.id} is ready without an artifact.`);
  }
  const sha = row.artifact_sha;
  const stats = JSON.parse(row.artifact_stats) as Omit<Artifact, "sha" | "dir">;
  const verified = builder.verifiedFiles(sha);
  return { ...stats, sha, dir: join(artifactsDir, sha), ...(verified && { verified }) };
}

/**
 * The run's record changes, and what the changelog may say about it now: a project that the preview
 * showed publicly may have been hidden since. Throws RecordsChanged, and `conflict` for media
 * restricted since, so that nothing is built in vain.
 */
async function readOwnChanges(
  db: Db,
  row: RunRow,
  { mentionInChangelog: isMentioned = null }: PublishOptions,
): Promise<{ recordChanges: RecordChange[]; change: RunChange | null }> {
  const records = await listChanges(db, row.id);
  await assertNoConflicts(db, records);
  await assertNoRestrictedMedia(db, row.id);
  const diffs = fileDiff.array().parse(JSON.parse(await findDiff(db, row.id)));
  const stored = readRunChange(row);
  const chosen = stored && isMentioned !== null ? { ...stored, isHidden: !isMentioned } : stored;
  const change = await toPublicChange(db, chosen, { diffs, records });
  return { recordChanges: records, change };
}

/**
 * Publishes a preview. If the site's records have changed since it was built, `main` has moved, or
 * its files are gone, the same changes are built again first.
 */
async function publishPreview(
  deps: RunDependencies,
  row: RunRow,
  options: PublishOptions,
): Promise<void> {
  const { db, events, repository, publisher } = deps;
  const rebuildBefore = await lastStartedId(db);
  const audience = await audienceHash(db);
  const { recordChanges, change } = await readOwnChanges(db, row, options);
  const builder = makeWorkspaceBuilder(deps);
  const workspace = await openRunWorkspace(deps, row);
  let artifact = readArtifact(row, deps);
  let tree = row.workspace_tree ?? undefined;
  const rebuild = async (at: Workspace): Promise<Artifact> => {
    events.emit(row.id, { type: "build.started", data: { attempt: 1 } });
    const job = { workspace: at, change, ...(options.signal && { signal: options.signal }) };
    ({ artifact, tree } = await builder.build(job));
    const { pages, bytes, durationMs } = artifact;
    events.emit(row.id, { type: "build.passed", data: { attempt: 1, pages, bytes, durationMs } });
    await events.flush(row.id);
    return artifact;
  };
  const rebuildAndReview = async (at: Workspace): Promise<Artifact> =>
    reviewBuilt(deps, row, await rebuild(at), options);
  const isShown = async () =>
    (await isStored(artifact.dir)) &&
    (await builder.snapshotHash({ workspace, change })) === row.snapshot_hash;
  const [head, isSame] = await Promise.all([mainHead(repository), isShown()]);
  // If `main` has moved, the publisher asks for a build anyway after merging.
  if (head === workspace.baseCommit && !isSame) await rebuildAndReview(workspace);
  await publisher.publish({
    runId: row.id,
    workspace,
    artifact,
    ...(tree === undefined ? {} : { tree }),
    ...privateConfirmation(deps, row, options),
    recordChanges,
    rebuildBefore,
    message: row.message,
    actor: row.actor,
    trailers: {
      ...runTrailers(row, await findRequest(db, row.id)),
      ...taskTrailers(await findRunTask(db, row.id), options),
    },
    ...(options.maxWaitMs === undefined ? {} : { waitMs: options.maxWaitMs }),
    signal: options.signal,
    async onStart(transaction) {
      if (!(await lockRun(transaction, row.id, ["publishing"]))) throw new PublishTakenOverError();
      await assertOwnedHere(deps, transaction, row.id);
      if ((await audienceHash(transaction)) !== audience) throw new AudienceChanged();
      await reserveChanges(transaction, row.id);
      await assertNoRestrictedMedia(transaction, row.id);
    },
    rebuild: rebuildAndReview,
    changelog: change,
  });
}

/** Has a build checked and reviewed, unless it is that of the preview. */
async function reviewBuilt(
  deps: RunDependencies,
  row: RunRow,
  built: Artifact,
  { signal, reviewBuild }: PublishOptions,
): Promise<Artifact> {
  if (built.sha === row.artifact_sha) return built;
  const report = await recheckBuild(deps, row.id, built, signal);
  await reviewBuild?.({ artifactSha: built.sha, report });
  return built;
}

/** The owner's confirmation of private text, for the run's events. */
function privateConfirmation(
  { events }: RunDependencies,
  row: RunRow,
  { confirmPrivate = null, approvedBy }: PublishOptions,
): Pick<PublishRequest, "confirmPrivate" | "onPrivate"> {
  return {
    confirmPrivate,
    async onPrivate({ findings, total }) {
      const by = approvedBy ?? row.actor;
      events.emit(row.id, { type: "private.confirmed", data: { findings, total, by } });
      await events.flush(row.id);
    },
  };
}

/** The public content has changed while a publish was waiting. */
class AudienceChanged extends AppError {
  constructor() {
    super("conflict", "The audience of a project changed in the meantime. Publish again.");
  }
}

/** How often a publish restarts because of that. */
const maxAudienceChanges = 3;

/**
 * The same, but never with content that has been hidden since: a rebuild without it may have gone
 * live while this was waiting.
 */
async function publishToCurrentAudience(
  deps: RunDependencies,
  row: RunRow,
  options: PublishOptions,
): Promise<void> {
  for (let n = 1; ; n += 1) {
    try {
      return await publishPreview(deps, row, options);
    } catch (error) {
      if (!(error instanceof AudienceChanged) || n >= maxAudienceChanges) throw error;
    }
  }
}

/**
 * Checks the result of a merge, or of other records, like a preview. New findings don't block it, blank pages do: throws
 * BlankPages. Returns null if the checks failed.
 */
async function recheckBuild(
  deps: RunDependencies,
  runId: string,
  artifact: Artifact,
  signal: AbortSignal | undefined,
): Promise<BuildReport | null> {
  const { db, clock, events } = deps;
  const emit = (event: RunEvent) => events.emit(runId, event);
  const report = await inspectPreview(deps, artifact, { runId, emit, signal });
  await events.flush(runId);
  assertNoBlankPages(report);
  if (report === null) return null;
  const at = isoTime(clock.now());
  await saveCheckReport(db, runId, { artifactSha: artifact.sha, report, at });
  return report;
}

function runTrailers(row: RunRow, { restore }: RunRequest): Record<string, string> {
  const facts = { Run: row.id, Actor: row.actor };
  if (row.restored_run_id === null) return facts;
  const mode: Record<string, string> = restore === "version" ? { "Restore-Mode": "version" } : {};
  return { ...facts, Restores: row.restored_run_id, ...mode };
}

/** The trailers of a commit from the queue: the task, and the person who approved it. */
function taskTrailers(
  task: RunTask | null,
  { approvedBy = null }: PublishOptions,
): Record<string, string> {
  if (task === null) return {};
  const facts = { "Published-Via": "task-queue", Task: String(task.id) };
  return approvedBy === null ? facts : { ...facts, "Approved-By": approvedBy };
}

/** Whether the publisher has started the run and will complete or undo it. */
export async function isPublishUnderWay(db: Db, runId: string): Promise<boolean> {
  const intent = await findIntent(db, runId);
  return intent !== undefined && intent.state !== "done";
}

/** This runner was presumed dead, and another one has ended its publish. */
export class PublishTakenOverError extends AppError {
  constructor() {
    super("invalid_state", "Another process has taken this publish over. Try again.");
  }
}

/**
 * In a transaction that has locked the run: throws PublishTakenOverError unless this runner
 * publishes it.
 */
async function assertOwnedHere(
  { runnerId }: Pick<RunDependencies, "runnerId">,
  transaction: Db,
  runId: string,
): Promise<void> {
  const owner = (await listRunOwners(transaction, [runId])).get(runId);
  if (owner !== runnerId) throw new PublishTakenOverError();
}

/** How to publish a run. */
export interface PublishOptions {
  /** Runs in the transaction that starts the publish: if it throws, nothing happens. */
  inTransaction?(transaction: Db): Promise<void>;
  /**
   * Called with the build that goes live if it differs from the preview, because `main` has moved or
   * the records have changed. Throws to refuse it.
   */
  reviewBuild?(build: { artifactSha: string; report: BuildReport | null }): Promise<void>;
  /** Whether the public changelog mentions it; by default as in the preview. */
  mentionInChangelog?: boolean | null;
  /** The fingerprint of private text that the owner has seen and confirmed. */
  confirmPrivate?: string | null;
  /** Who approved a task's run; null if nobody was asked. */
  approvedBy?: string | null;
  /** How long to wait for another publish, in ms; by default the publisher's own limit. */
  maxWaitMs?: number;
  /** Aborts waiting, building, and checking with its reason; the run is then ready again. */
  signal?: AbortSignal;
}

/**
 * Publishes a run. Throws `not_found`, `invalid_state`, and obstacles: `conflict`, `dirty_tree`,
 * BuildFailed, PrivateTextError; the run is then ready again, with the reason in its record.
 */
export async function publishRun(
  deps: RunDependencies,
  runId: string,
  options: PublishOptions = {},
): Promise<void> {
  const { db, events } = deps;
  const claim = { status: "publishing", error: null } as const;
  const joining = async (transaction: Db) => {
    // Another runner than the one that made it may publish it.
    await setRunOwner(transaction, runId, deps.runnerId);
    await options.inTransaction?.(transaction);
  };
  if (!(await events.transition(runId, ["preview_ready"], claim, [], joining))) {
    const status = await findStatus(db, runId);
    if (status === null) throw new AppError("not_found", "This run doesn't exist.");
    throw invalidStateError("published", status);
  }
  const row = await findRun(db, runId);
  if (!row) throw new AppError("not_found", "This run doesn't exist.");
  try {
    await publishToCurrentAudience(deps, row, options);
  } catch (error) {
    if (error instanceof PublishTakenOverError || (await isPublishUnderWay(db, runId))) throw error;
    const { message, code, details } = toAppError(error);
    const files = (details as { files?: string[] } | undefined)?.files ?? [];
    const conflict = code === "conflict" && files.length > 0 ? { conflict: files } : {};
    const records = error instanceof RecordsChanged ? { records: error.records } : {};
    const found = code === "private_text" ? { private: details as PrivateRefusal } : {};
    const data = { message, ...conflict, ...records, ...found };
    const refused: RunEvent = { type: "error", data };
    const back = { status: "preview_ready", error: message } as const;
    await events.transition(runId, ["publishing"], back, [refused], (transaction) =>
      assertOwnedHere(deps, transaction, runId),
    );
    throw error;
  }
  events.notify(runId);
  await removeFinishedWorkspace(deps.repository, runId);
}
