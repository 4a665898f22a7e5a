import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { leaveWorkspace } from "../workspace/workspace.ts";
import type { BegunFor } from "./beginning.ts";
import { blame } from "./blame.ts";
import { need, type RunsContext, type RunsOptions } from "./context.ts";
import { dropRun as drop, clearLeft as clear } from "./dropping.ts";
import { type Failure, Interrupted } from "./ending.ts";
import { estimateRun } from "./estimate.ts";
import { dropArtifact, sweep } from "./housekeeping.ts";
import type { NewMessage } from "./message-store.ts";
import { sayTo, withdraw } from "./messages.ts";
import { type PublishOptions, publishRun } from "./publishing.ts";
import { runsOf } from "./record.ts";
import type { RestoreMode } from "./restore.ts";
import { activeStatuses, invalidState } from "./run.ts";
import {
  type FileDiff,
  fileDiff,
  type Run,
  type RunEvent,
  type RunMessage,
  type RunMode,
  type RunStatus,
} from "./schema.ts";
import type { Blame, Estimate } from "./reading/schema.ts";
import { makeSettling, type Settling } from "./settling.ts";
import { isStanding } from "./standing.ts";
import { type EditRequest, reapply, restore, retry, start } from "./starting.ts";
import { findDiff, listRuns } from "./store.ts";
import { makeWorker } from "./worker.ts";

/**
 * What can be done with runs. All that names a run throws `not_found` where there is none, and what
 * gives an agent work throws `throttled` while the ceiling of the day or the month is reached.
 */
export interface Runs {
  /**
   * Begins an edit and returns at once; the work goes on by itself. Throws `throttled` when too many
   * are waiting, `validation_failed` naming pictures that aren't there, `invalid_state` when the run
   * that it continues has nothing to go on with. `begun` is for the run of a task.
   */
  start(request: EditRequest, begun?: BegunFor): Promise<{ runId: string }>;
  list(query: {
    page: number;
    perPage: number;
    status?: RunStatus | undefined;
  }): Promise<{ items: Run[]; total: number }>;
  get(runId: string): Promise<Run>;
  diff(runId: string): Promise<{ files: FileDiff[] }>;
  /** Stops a queued or working run and removes its workspace. Throws `invalid_state`. */
  cancel(runId: string): Promise<Run>;
  /** Drops a preview, or closes a failed or interrupted run. Throws `invalid_state`. */
  discard(runId: string): Promise<Run>;
  /**
   * Puts a ready preview before the public; see `publishRun` for what it throws. Unless told, a
   * task's run counts as approved by the site's owner.
   */
  publish(runId: string, how?: PublishOptions): Promise<Run>;
  /**
   * Begins a new run with the same instruction: from where the old one stood if that is left and
   * `fresh` isn't asked for, else from the beginning. Throws `invalid_state`.
   */
  retry(runId: string, fresh?: boolean): Promise<{ runId: string }>;
  /** Begins a new run on today's site that takes the place of a ready or interrupted one. */
  reapply(runId: string): Promise<{ runId: string }>;
  /**
   * Begins a run that undoes a published one (or brings the site back to how it was after that one)
   * and publishes that at once. Throws `invalid_state`.
   */
  restore(runId: string, mode?: RestoreMode): Promise<{ runId: string }>;
  /** Says something to a run that is queued or at work. Throws `invalid_state`, as `start` does. */
  say(said: NewMessage): Promise<RunMessage>;
  /** Takes a message back that no agent has heard. Throws `not_found`, `invalid_state`. */
  withdraw(messageId: number): Promise<{ id: number; withdrawn: true }>;
  estimate(mode: RunMode): Promise<Estimate>;
  /** Who last touched a line of the live site, or of a run's preview. See `blameLine` for errors. */
  blame(query: { file: string; line: number; runId?: string | undefined }): Promise<Blame>;
  /** The artifact that a run's preview shows; throws `not_found` when it has none. */
  preview(runId: string): Promise<{ artifactSha: string }>;
  /**
   * Waits until this process has nothing more to do for the run. Gives what ended it before it was
   * ready; null where nothing did, or this process doesn't work on it.
   */
  settled(runId: string): Promise<Failure | null>;
  /** Ends this process's work on a run that somebody has ended already. */
  stop(runId: string): Promise<void>;
  /** Interrupts this process's work on a run. */
  interrupt(runId: string): Promise<void>;
  /**
   * Closes the run of a task that came to nothing, with what the task becomes `along` in the same
   * transaction, and removes all that it has left. What is published or being published stays:
   * returns false then, and `along` has not been called.
   */
  drop(runId: string, along: (transaction: Db) => Promise<void>): Promise<boolean>;
  /** Removes what runs of tasks have left that somebody else ended. */
  clear(): Promise<void>;
  /** Settles what an earlier process left unfinished. To be called once, before anything else. */
  recover(): Promise<void>;
  /** Settles what runners have left that died since; to be called from time to time. */
  settleGone(): Promise<void>;
  /** Interrupts what is running, for a shutdown. */
  close(): Promise<void>;
}

async function get(context: RunsContext, runId: string): Promise<Run> {
  const row = await need(context, runId);
  const [run] = await runsOf(context.db, [row], (asked) => isStanding(context, asked));
  if (!run) throw new AppError("not_found", "There is no such run.");
  return run;
}

async function list(context: RunsContext, query: Parameters<Runs["list"]>[0]) {
  const { rows, total } = await listRuns(context.db, query);
  return { items: await runsOf(context.db, rows, (row) => isStanding(context, row)), total };
}

async function end(
  context: RunsContext,
  runId: string,
  from: readonly RunStatus[],
  status: "cancelled" | "discarded",
): Promise<void> {
  const { events, clock } = context;
  await need(context, runId);
  const finished: RunEvent = { type: "run.finished", data: { status } };
  const patch = { status, finished_at: isoTime(clock.now()) };
  const along = (trx: Db) => context.onClosed(trx, { runId, status, heir: null });
  if (await events.transition(runId, from, patch, [finished], along)) return;
  throw invalidState(status, (await need(context, runId)).status);
}

async function cancel(context: RunsContext, runId: string): Promise<Run> {
  await end(context, runId, activeStatuses, "cancelled");
  await context.worker.stop(runId);
  return get(context, runId);
}

/** Removes the artifact of a run that is over, and what else nobody needs. */
async function tidy(context: RunsContext, runId: string): Promise<void> {
  try {
    const { artifact_sha: sha } = await need(context, runId);
    if (sha !== null) await dropArtifact(context, sha);
    await sweep(context);
  } catch (error) {
    context.log.warn({ err: error, runId }, "what a run has left can't be removed now");
  }
}

async function discard(context: RunsContext, runId: string): Promise<Run> {
  await end(context, runId, ["preview_ready", "failed", "interrupted"], "discarded");
  // It is over whatever becomes of its files: what can't be removed now is removed by a later sweep.
  await leaveWorkspace(context.repository, runId);
  await tidy(context, runId);
  return get(context, runId);
}

async function preview(context: RunsContext, runId: string) {
  const row = await need(context, runId);
  const shown = ["preview_ready", "publishing", "published"].includes(row.status);
  if (!shown || row.artifact_sha === null) {
    throw new AppError("not_found", "This run has no preview.");
  }
  return { artifactSha: row.artifact_sha };
}

async function recover(options: RunsOptions, settling: Settling): Promise<void> {
  await options.publisher.recover();
  await settling.atBoot();
  // A full disk must not keep the runner from starting: it is what makes room.
  await sweep(options).catch((error: unknown) =>
    options.log.warn({ err: error }, "what runs have left can't be removed now"),
  );
}

/** The runs of this instance. The runner process makes one. */
export function makeRuns(options: RunsOptions): Runs {
  const publishing = new Set<{ runId: string }>();
  const publish = async (runId: string, how?: PublishOptions) => {
    const attempt = { runId };
    publishing.add(attempt);
    try {
      await publishRun(options, runId, { approvedBy: options.owner.name, ...how });
    } finally {
      publishing.delete(attempt);
    }
  };
  const worker = makeWorker({
    ...options,
    publish: (runId) => publish(runId),
    dropArtifact: (sha) => dropArtifact(options, sha),
    tidy: () => sweep(options),
  });
  const context: RunsContext = { ...options, worker };
  const settling = makeSettling({
    ...options,
    isAtWork: (id) => worker.has(id) || [...publishing].some(({ runId }) => runId === id),
  });
  return {
    start: (request, begun) => start(context, request, begun),
    list: (query) => list(context, query),
    get: (runId) => get(context, runId),
    async diff(runId) {
      await need(context, runId);
      return { files: fileDiff.array().parse(JSON.parse(await findDiff(context.db, runId))) };
    },
    cancel: (runId) => cancel(context, runId),
    discard: (runId) => discard(context, runId),
    async publish(runId, how) {
      await need(context, runId);
      await publish(runId, how);
      return get(context, runId);
    },
    retry: (runId, fresh = false) => retry(context, runId, fresh),
    reapply: (runId) => reapply(context, runId),
    restore: (runId, mode = "undo") => restore(context, runId, mode),
    say: (said) => sayTo(context, said),
    withdraw: (messageId) => withdraw(context, messageId),
    estimate: (mode) => estimateRun(context, mode),
    blame: (query) => blame(context, query),
    preview: (runId) => preview(context, runId),
    settled: (runId) => worker.settled(runId),
    stop: (runId) => worker.stop(runId),
    interrupt: (runId) => worker.stop(runId, new Interrupted()),
    drop: (runId, along) => drop(context, runId, along),
    clear: () => clear(context),
    recover: () => recover(options, settling),
    settleGone: () => settling.again(),
    close: () => worker.close(),
  };
}
