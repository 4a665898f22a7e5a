import { AppError } from "../../kit/errors.ts";
import type { InlineAnswer, InlineEdit, InlineTarget } from "../agent/inline/schema.ts";
import type { Db } from "../../platform/db/connect.ts";
import { blame } from "./blame.ts";
import { cleanUp } from "./cleanup.ts";
import { cancelRun, discardRun, discardTaskRun, removeTaskLeftovers } from "./discard.ts";
import { estimateRun } from "./estimate.ts";
import type { RestoreMode } from "./execute-restore.ts";
import { type RunFailure, RunInterrupted } from "./failure.ts";
import { locateInline, startInlineEdits } from "./inline-edits.ts";
import type { NewMessage } from "./message-store.ts";
import { sendMessage, withdrawMessage } from "./messages.ts";
import { type PublishOptions, publishRun } from "./publish-run.ts";
import { makeRunRecovery, type RunRecovery } from "./recovery.ts";
import { listRecordChanges, resolveRecord } from "./records/record-conflicts.ts";
import { isResumable } from "./resumable.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import {
  type Blame,
  type Estimate,
  type FileDiff,
  fileDiff,
  type ResolveRecord,
  type Run,
  type RunMessage,
  type RunMode,
  type RunRecordChange,
  type RunStatus,
} from "./schema.ts";
import { serializeRuns } from "./serialize-run.ts";
import {
  type EditRequest,
  type FormRequest,
  reapplyRun,
  restoreRun,
  retryRun,
  startFormRun,
  startRun,
  type TaskAttempt,
} from "./start-run.ts";
import { findDiff, listRuns, requireRun } from "./store.ts";
import { makeWorker } from "./worker.ts";

/**
 * Operations on runs. Those that name a run throw `not_found` if there is none; those that start an
 * agent throw `throttled` while the daily or monthly limit is reached.
 */
export interface Runs {
  /**
   * Queues an edit and returns immediately. Throws `throttled` if too many are waiting,
   * `validation_failed` with attachments that are gone, `invalid_state` if the run to continue has
   * no work left. `attempt` is for the run of a task.
   */
  start(request: EditRequest, attempt?: TaskAttempt): Promise<{ runId: string }>;
  /** Queues a run that applies a form and returns immediately. Throws `throttled`. */
  startForm(request: FormRequest): Promise<{ runId: string }>;
  /** Where the selected element on a page is edited, or why it can't be. */
  locateInline(target: InlineTarget): Promise<InlineAnswer>;
  /**
   * Queues a run that makes inline edits, all or none, and returns immediately. Throws
   * `validation_failed` with each that can't be made, `throttled`.
   */
  startInlineEdits(edits: readonly InlineEdit[]): Promise<{ runId: string }>;
  list(query: {
    page: number;
    perPage: number;
    status?: RunStatus | undefined;
  }): Promise<{ items: Run[]; total: number }>;
  get(runId: string): Promise<Run>;
  getDiff(runId: string): Promise<{ files: FileDiff[] }>;
  /** The run's record changes with the current values. */
  listRecordChanges(runId: string): Promise<RunRecordChange[]>;
  /**
   * Resolves a conflict between a ready run and a record. Returns the remaining changes. Throws
   * `invalid_state`, `not_found`.
   */
  resolveRecord(choice: ResolveRecord): Promise<RunRecordChange[]>;
  /** Stops a queued or working run and removes its workspace. Throws `invalid_state`. */
  cancel(runId: string): Promise<Run>;
  /** Discards a preview, or closes a failed or interrupted run. Throws `invalid_state`. */
  discard(runId: string): Promise<Run>;
  /**
   * Publishes a preview; throws the errors of `publishRun`. By default, a task's run counts as
   * approved by the site's owner.
   */
  publish(runId: string, options?: PublishOptions): Promise<Run>;
  /**
   * Starts a new run with the same instruction: from where the old one stopped if its work is left
   * and `fresh` isn't set, otherwise from the beginning. Throws `invalid_state`.
   */
  retry(runId: string, fresh?: boolean): Promise<{ runId: string }>;
  /** Starts a new run on the current site that replaces a ready or interrupted one. */
  reapply(runId: string): Promise<{ runId: string }>;
  /**
   * Starts a run that undoes a published one (or restores the site to the state after that one) and
   * publishes it immediately. Throws `invalid_state`.
   */
  restore(runId: string, mode?: RestoreMode): Promise<{ runId: string }>;
  /** Sends a message to a queued or working run. Throws `invalid_state`, like `start`. */
  sendMessage(message: NewMessage): Promise<RunMessage>;
  /** Withdraws an unread message. Throws `not_found`, `invalid_state`. */
  withdrawMessage(messageId: number): Promise<{ id: number; withdrawn: true }>;
  estimate(mode: RunMode): Promise<Estimate>;
  /**
   * Who last changed a line of the live site, or of a run's preview. Throws the errors of
   * `blameLine`.
   */
  blame(query: { file: string; line: number; runId?: string | undefined }): Promise<Blame>;
  /** The artifact of a run's preview; throws `not_found` if it has none. */
  getPreview(runId: string): Promise<{ artifactSha: string }>;
  /**
   * Waits until this process has finished its work on the run. Returns what ended it before it was
   * ready; null if nothing did, or this process doesn't work on it.
   */
  waitUntilFinished(runId: string): Promise<RunFailure | null>;
  /** Ends this process's work on a run that has already been ended elsewhere. */
  stop(runId: string): Promise<void>;
  /** Interrupts this process's work on a run. */
  interrupt(runId: string): Promise<void>;
  /**
   * Closes the run of an unsuccessful task and removes everything that it has left. The task
   * changes `inTransaction`, together with its run. If the run is published or being published, it
   * stays, and this returns false without calling `inTransaction`.
   */
  discardForTask(
    runId: string,
    inTransaction: (transaction: Db) => Promise<void>,
  ): Promise<boolean>;
  /** Removes what runs of tasks have left that were ended elsewhere. */
  removeTaskLeftovers(): Promise<void>;
  /** Recovers what an earlier process left unfinished. Call once, before anything else. */
  recover(): Promise<void>;
  /** Recovers what runners that have died since have left; call regularly. */
  recoverAbandoned(): Promise<void>;
  /** Interrupts running work on shutdown. */
  close(): Promise<void>;
}

async function getRun(deps: RunDependencies, runId: string): Promise<Run> {
  const row = await requireRun(deps.db, runId);
  const [run] = await serializeRuns(deps.db, [row], (requested) => isResumable(deps, requested));
  if (!run) throw new AppError("not_found", "This run doesn't exist.");
  return run;
}

async function listRunPage(deps: RunDependencies, query: Parameters<Runs["list"]>[0]) {
  const { rows, total } = await listRuns(deps.db, query);
  const items = await serializeRuns(deps.db, rows, (row) => isResumable(deps, row));
  return { items, total };
}

async function getPreview({ db }: RunDependencies, runId: string) {
  const row = await requireRun(db, runId);
  const isShown = ["preview_ready", "publishing", "published"].includes(row.status);
  if (!isShown || row.artifact_sha === null) {
    throw new AppError("not_found", "This run has no preview.");
  }
  return { artifactSha: row.artifact_sha };
}

async function getDiff({ db }: RunDependencies, runId: string) {
  await requireRun(db, runId);
  return { files: fileDiff.array().parse(JSON.parse(await findDiff(db, runId))) };
}

async function listRecordChangesOf({ db }: RunDependencies, runId: string) {
  await requireRun(db, runId);
  return listRecordChanges(db, runId);
}

async function recover(deps: RunDependencies, recovery: RunRecovery): Promise<void> {
  await deps.publisher.recover();
  await recovery.recoverAtStart();
  // A full disk must not keep the runner from starting, because the runner makes room.
  await cleanUp(deps).catch((error: unknown) =>
    deps.log.warn({ err: error }, "couldn't remove runs' leftovers; will try again"),
  );
}

/** The runs of this instance, created by the runner process. */
export function makeRuns(deps: RunDependencies): Runs {
  const worker = makeWorker(deps);
  const publishing = new Set<{ runId: string }>();
  const recovery = makeRunRecovery(
    deps,
    (id) => worker.isActive(id) || [...publishing].some(({ runId }) => runId === id),
  );

  async function enqueue(queued: Promise<{ runId: string }>): Promise<{ runId: string }> {
    const { runId } = await queued;
    worker.enqueue(runId);
    return { runId };
  }

  async function publish(runId: string, options?: PublishOptions): Promise<void> {
    const attempt = { runId };
    publishing.add(attempt);
    try {
      await publishRun(deps, runId, { approvedBy: deps.owner.name, ...options });
    } finally {
      publishing.delete(attempt);
    }
  }

  return {
    start: (request, attempt) => enqueue(startRun(deps, request, attempt)),
    startForm: (request) => enqueue(startFormRun(deps, request)),
    locateInline: (target) => locateInline(deps, target),
    startInlineEdits: (edits) => enqueue(startInlineEdits(deps, edits)),
    list: (query) => listRunPage(deps, query),
    get: (runId) => getRun(deps, runId),
    getDiff: (runId) => getDiff(deps, runId),
    listRecordChanges: (runId) => listRecordChangesOf(deps, runId),
    resolveRecord: (choice) => resolveRecord(deps, choice),
    cancel: (runId) => cancelRun(deps, worker, runId).then(() => getRun(deps, runId)),
    async discard(runId) {
      await discardRun(deps, runId);
      return getRun(deps, runId);
    },
    async publish(runId, options) {
      await requireRun(deps.db, runId);
      await publish(runId, options);
      return getRun(deps, runId);
    },
    retry: (runId, fresh = false) => enqueue(retryRun(deps, runId, fresh)),
    reapply: (runId) => enqueue(reapplyRun(deps, runId)),
    restore: (runId, mode = "undo") => enqueue(restoreRun(deps, runId, mode)),
    sendMessage: (message) => sendMessage(deps, message),
    withdrawMessage: (messageId) => withdrawMessage(deps, messageId),
    estimate: (mode) => estimateRun(deps, mode),
    blame: (query) => blame(deps, query),
    getPreview: (runId) => getPreview(deps, runId),
    waitUntilFinished: (runId) => worker.waitUntilFinished(runId),
    stop: (runId) => worker.stop(runId),
    interrupt: (runId) => worker.stop(runId, new RunInterrupted()),
    discardForTask: (runId, inTransaction) => discardTaskRun(deps, worker, runId, inTransaction),
    removeTaskLeftovers: () => removeTaskLeftovers(deps),
    recover: () => recover(deps, recovery),
    recoverAbandoned: () => recovery.recoverAbandoned(),
    close: () => worker.close(),
  };
}
