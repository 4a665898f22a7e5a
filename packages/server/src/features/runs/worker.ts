import { makeSemaphore } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import { removeFinishedWorkspace } from "../workspace/workspace.ts";
import { cleanUp, deleteArtifact } from "./cleanup.ts";
import { executeEdit } from "./execute-edit.ts";
import { executeRestore } from "./execute-restore.ts";
import { type CurrentRun, type Execution, RunEndedElsewhere } from "./execution.ts";
import { endFailedRun, type RunFailure, RunInterrupted } from "./failure.ts";
import { publishRun } from "./publish-run.ts";
import { findRequest } from "./request-store.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import type { RunStatus } from "./schema.ts";
import { findRun, findStatus } from "./store.ts";
import { findRunTask, findTaskProject, roleOf } from "./task-store.ts";
import { makeWorkspaceBuilder } from "./workspace-builder.ts";

/** Executes queued runs in this process. */
export interface Worker {
  enqueue(runId: string): void;
  /** Whether the run is waiting or running here. */
  isActive(runId: string): boolean;
  /**
   * Stops the work on a cancelled run; resolves when nothing of it is left. With RunInterrupted as
   * the reason, it is interrupted, as on shutdown.
   */
  stop(runId: string, reason?: RunEndedElsewhere | RunInterrupted): Promise<void>;
  /**
   * Waits until this process has finished its work on the run. Returns what ended it before it was
   * ready; null if nothing did, or this process doesn't work on it.
   */
  waitUntilFinished(runId: string): Promise<RunFailure | null>;
  /** Interrupts running work and waits for it; starts nothing new. */
  close(): Promise<void>;
}

interface ActiveRun {
  controller: AbortController;
  done: Promise<RunFailure | null>;
}

/** Maximum duration of a whole run, in ms: the agent's time and that of its builds. */
function maxRunMs(limits: RunDependencies["limits"]): number {
  return (limits.run.minutes * 60 + limits.build.seconds * 4) * 1000;
}

/** How often to check whether another process has ended the run, in ms. */
const watchIntervalMs = 2000;

/**
 * States in which a run was ended by a person, or by another runner that presumed this one dead.
 */
const endedElsewhere: ReadonlySet<RunStatus> = new Set(["cancelled", "interrupted", "discarded"]);

/** Aborts a run that takes too long, or that was cancelled in another process. */
function watchRun(execution: Execution, controller: AbortController): () => void {
  const { deps, run } = execution;
  const late = new AppError("upstream_failed", "The run took too long and was stopped.", {
    details: { limit: "minutes" },
  });
  const deadline = setTimeout(() => controller.abort(late), maxRunMs(deps.limits));
  const checkStatus = async () => {
    // A database that is unavailable for a moment says nothing about the run.
    const status = await findStatus(deps.db, run.row.id).catch(() => null);
    if (status !== null && endedElsewhere.has(status)) controller.abort(new RunEndedElsewhere());
  };
  const poll = setInterval(() => void checkStatus(), watchIntervalMs);
  return () => {
    clearTimeout(deadline);
    clearInterval(poll);
  };
}

/** Reports a waiting preview; a failure doesn't affect the preview. */
async function notifyReady(deps: RunDependencies, runId: string): Promise<void> {
  await deps
    .onPreviewReady(runId)
    .catch((error: unknown) =>
      deps.log.error({ err: error, runId }, "couldn't notify the owner that a preview is ready"),
    );
}

async function executeByKind(execution: Execution): Promise<void> {
  const { deps, run } = execution;
  // It is ready when the agent is.
  deps.builder.prepare();
  const { id: runId, kind } = run.row;
  if (kind === "edit") {
    const { form } = run.request;
    const agent = form
      ? await deps.makeFormAgent(runId, form)
      : await deps.selectAgent(roleOf(run.task));
    const isReady = await executeEdit(execution, agent);
    if (isReady && run.task === null) await notifyReady(deps, runId);
    else if (!isReady) await removeFinishedWorkspace(deps.repository, runId);
    return;
  }
  await executeRestore(execution);
  // Refused because of a conflict, it stays ready: its record and its stream say why.
  await publishRun(deps, runId, { approvedBy: deps.owner.name }).catch((error: unknown) =>
    deps.log.warn({ err: error, runId }, "restore refused"),
  );
}

/** Removes builds that weren't shown: refused ones, and those replaced by another. */
async function deleteUnusedArtifacts({ deps, run }: Execution): Promise<void> {
  const shown = (await findRun(deps.db, run.row.id))?.artifact_sha;
  for (const sha of run.builtArtifacts) if (sha !== shown) await deleteArtifact(deps, sha);
}

async function loadRun(deps: RunDependencies, runId: string): Promise<CurrentRun | null> {
  const row = await findRun(deps.db, runId);
  if (!row) return null;
  const request = await findRequest(deps.db, runId);
  const task = await findRunTask(deps.db, runId);
  const project = await findTaskProject(deps.db, runId);
  const builder = makeWorkspaceBuilder(deps);
  return { row, request, task, ...project, builder, builtArtifacts: new Set() };
}

async function executeRun(
  deps: RunDependencies,
  runId: string,
  controller: AbortController,
): Promise<RunFailure | null> {
  const { log } = deps;
  let failure: RunFailure | null = null;
  const cleanups: (() => Promise<void>)[] = [() => cleanUp(deps)];
  try {
    const run = await loadRun(deps, runId);
    if (!run) return null;
    const execution: Execution = { deps, run, signal: controller.signal };
    cleanups.unshift(() => deleteUnusedArtifacts(execution));
    const unwatch = watchRun(execution, controller);
    try {
      await executeByKind(execution);
    } catch (error) {
      failure = await endFailedRun(execution, error);
    } finally {
      unwatch();
    }
  } catch (error) {
    log.error({ err: error, runId }, "couldn't end a run");
  }
  // Whatever the result, even if its end couldn't be stored.
  for (const remove of cleanups) {
    await remove().catch((error: unknown) =>
      log.warn({ err: error, runId }, "couldn't remove a run's leftovers; will try again"),
    );
  }
  return failure;
}

export function makeWorker(deps: RunDependencies): Worker {
  const active = new Map<string, ActiveRun>();
  const semaphore = makeSemaphore(deps.maxConcurrentRuns);
  let closed = false;

  return {
    enqueue(runId) {
      if (closed) return;
      const { promise: done, resolve: finish } = Promise.withResolvers<RunFailure | null>();
      const run: ActiveRun = { controller: new AbortController(), done };
      active.set(runId, run);
      const start = async () => {
        const failure = await executeRun(deps, runId, run.controller);
        active.delete(runId);
        finish(failure);
      };
      // A run stopped before its turn gives up its place and only has to be ended.
      semaphore.run(start, run.controller.signal).catch(start);
    },
    isActive: (runId) => active.has(runId),
    async stop(runId, reason = new RunEndedElsewhere()) {
      const run = active.get(runId);
      run?.controller.abort(reason);
      await run?.done;
    },
    async waitUntilFinished(runId) {
      return (await active.get(runId)?.done) ?? null;
    },
    async close() {
      closed = true;
      for (const { controller } of active.values()) controller.abort(new RunInterrupted());
      await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}
