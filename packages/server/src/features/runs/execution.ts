import type { Db } from "../../platform/db/connect.ts";
import { BuildFailed } from "../release/builder/build.ts";
import { type Checkpoint, createWorkspace, type Workspace } from "../workspace/workspace.ts";
import { countWaitingMessages } from "./message-store.ts";
import type { RunRequest } from "./request-store.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import type { RunEvent, RunStatus } from "./schema.ts";
import { type RunPatch, type RunRow, updateRun } from "./store.ts";
import type { RunTask, TaskProject } from "./task-store.ts";
import type { WorkspaceBuild, WorkspaceBuilder, WorkspaceBuildJob } from "./workspace-builder.ts";

const maxLogLineCharacters = 2000;
const maxLogLines = 400;

/** Another process has moved the run (cancelled it): its worker stops and cleans up. */
export class RunEndedElsewhere extends Error {}

/** The owner has sent another message: the run doesn't end before the agent has read it. */
export class MessagesWaiting extends Error {}

/** A run and its context while it is executed. */
export interface CurrentRun extends TaskProject {
  row: RunRow;
  request: RunRequest;
  /** Its task; null for a person's run, even if that continues a task's. */
  task: RunTask | null;
  builder: WorkspaceBuilder;
  /** Artifacts built for display; all except the last one are unused. */
  builtArtifacts: Set<string>;
}

/** What every step of executing a run needs. */
export interface Execution {
  deps: RunDependencies;
  run: CurrentRun;
  /** Aborted when the run is cancelled, takes too long, or the process ends. */
  signal: AbortSignal;
}

/** Moves the run; throws RunEndedElsewhere if it isn't in `from` any more. */
export async function advanceRun(
  { deps, run, signal }: Execution,
  from: RunStatus,
  patch: RunPatch & { status: RunStatus },
  events: readonly RunEvent[] = [],
  inTransaction?: (transaction: Db) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  await deps.events.flush(run.row.id);
  if (!(await deps.events.transition(run.row.id, [from], patch, events, inTransaction))) {
    throw new RunEndedElsewhere();
  }
}

/**
 * Call in the transaction that ends the work: throws MessagesWaiting if there are unread messages.
 */
export async function assertNoMessagesWaiting(transaction: Db, runId: string): Promise<void> {
  if ((await countWaitingMessages(transaction, runId)) > 0) throw new MessagesWaiting();
}

export function emitEvent({ deps, run, signal }: Execution, event: RunEvent): void {
  // What arrives after a cancellation is no longer part of the run.
  if (!signal.aborted) deps.events.emit(run.row.id, event);
}

/** The checkpoint of the run that this one continues; null if it starts from the newest commit. */
export function readCheckpoint({
  row,
  request,
}: Pick<CurrentRun, "row" | "request">): Checkpoint | null {
  const { base_commit: baseCommit, workspace_tree: tree } = row;
  if (request.origin?.kind !== "continue" || baseCommit === null || tree === null) return null;
  return { baseCommit, tree };
}

/** Creates the run's workspace from the newest commit, or from the work that it continues. */
export async function createRunWorkspace({ deps, run, signal }: Execution): Promise<Workspace> {
  const { id } = run.row;
  const workspace = await createWorkspace(deps.repository, id, readCheckpoint(run) ?? undefined);
  await updateRun(deps.db, id, { base_commit: workspace.baseCommit });
  signal.throwIfAborted();
  return workspace;
}

/** Builds once and notifies the run's listeners; returns the failure if the site doesn't build. */
export async function buildWorkspace(
  execution: Execution,
  job: Pick<WorkspaceBuildJob, "workspace" | "change" | "tree">,
  attempt: number,
): Promise<{ result: WorkspaceBuild } | { failure: BuildFailed }> {
  const { run, signal } = execution;
  emitEvent(execution, { type: "build.started", data: { attempt } });
  let lines = 0;
  const onLog = (line: string) => {
    lines += 1;
    if (lines > maxLogLines) return;
    emitEvent(execution, {
      type: "build.log",
      data: { line: line.slice(0, maxLogLineCharacters) },
    });
  };
  try {
    const result = await run.builder.build({ ...job, signal, onLog });
    run.builtArtifacts.add(result.artifact.sha);
    const { pages, bytes, durationMs } = result.artifact;
    emitEvent(execution, { type: "build.passed", data: { attempt, pages, bytes, durationMs } });
    return { result };
  } catch (failure) {
    signal.throwIfAborted();
    if (!(failure instanceof BuildFailed)) throw failure;
    emitEvent(execution, { type: "build.failed", data: { attempt, errors: failure.errors } });
    return { failure };
  }
}
