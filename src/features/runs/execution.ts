import type { Clock } from "../../kit/clock.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Log } from "../../platform/log.ts";
import { BuildFailed } from "../release/builder/build.ts";
import type { Repository } from "../workspace/git.ts";
import { createWorkspace, type Stand, type Workspace } from "../workspace/workspace.ts";
import type { BuildGate, BuildGateJob, BuildGateResult } from "./build-gate.ts";
import type { RunEvents } from "./events.ts";
import { countWaiting } from "./message-store.ts";
import type { RunRequest } from "./request-store.ts";
import type { RunEvent, RunStatus } from "./schema.ts";
import { type RunPatch, type RunRow, updateRun } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";
import type { TaskOfRun } from "./task-store.ts";

const longestLogLine = 2000;
const mostLogLines = 400;

/** Somebody else moved the run on (cancelled it): whoever works on it stops and cleans up. */
export class RunLost extends Error {}

/** The owner has said something meanwhile: the run does not end before that is heard. */
export class SaidMeanwhile extends Error {}

/** One run while it is carried out. */
export interface Execution extends Omit<Surroundings, "currentRelease"> {
  row: RunRow;
  request: RunRequest;
  /** The task that it is for; a run of a person's has none, also where it goes on with a task's. */
  task: TaskOfRun | null;
  signal: AbortSignal;
  db: Db;
  clock: Clock;
  log: Log;
  events: RunEvents;
  repository: Repository;
  gate: BuildGate;
  /** The artifacts that were built to be shown; all but the last one are of no use. */
  built: Set<string>;
  limits: Limits;
}

/** Moves the run on; throws RunLost when it isn't in `from` any more. */
export async function advance(
  execution: Execution,
  from: RunStatus,
  patch: RunPatch & { status: RunStatus },
  events: readonly RunEvent[] = [],
  along?: (transaction: Db) => Promise<void>,
): Promise<void> {
  const { row, signal } = execution;
  signal.throwIfAborted();
  await execution.events.flush(row.id);
  if (!(await execution.events.transition(row.id, [from], patch, events, along))) {
    throw new RunLost();
  }
}

/** In the transaction that ends the work: throws SaidMeanwhile when there is something to hear. */
export async function assertHeard(transaction: Db, runId: string): Promise<void> {
  if ((await countWaiting(transaction, runId)) > 0) throw new SaidMeanwhile();
}

export function say(execution: Execution, event: RunEvent): void {
  // What arrives after a cancellation is no longer part of the run.
  if (!execution.signal.aborted) execution.events.emit(execution.row.id, event);
}

/** Where the work that a run goes on with stands; null for one that begins on the newest commit. */
export function standOf({ row, request }: Pick<Execution, "row" | "request">): Stand | null {
  const { base_commit: baseCommit, workspace_tree: tree } = row;
  if (request.origin?.kind !== "continue" || baseCommit === null || tree === null) return null;
  return { baseCommit, tree };
}

/** Makes the run's workspace: on the newest commit, or with the work that it goes on with. */
export async function openWork(execution: Execution): Promise<Workspace> {
  const { db, repository, row } = execution;
  const workspace = await createWorkspace(repository, row.id, standOf(execution) ?? undefined);
  await updateRun(db, row.id, { base_commit: workspace.baseCommit });
  execution.signal.throwIfAborted();
  return workspace;
}

/** Builds once, telling the run's listeners; the failure when the site doesn't build. */
export async function buildOnce(
  execution: Execution,
  job: Pick<BuildGateJob, "workspace" | "change" | "tree">,
  attempt: number,
): Promise<{ result: BuildGateResult } | { failure: BuildFailed }> {
  const { gate, signal } = execution;
  say(execution, { type: "build.started", data: { attempt } });
  let lines = 0;
  const onLog = (line: string) => {
    lines += 1;
    if (lines > mostLogLines) return;
    say(execution, { type: "build.log", data: { line: line.slice(0, longestLogLine) } });
  };
  try {
    const result = await gate.build({ ...job, signal, onLog });
    execution.built.add(result.artifact.sha);
    const { pages, bytes, durationMs } = result.artifact;
    say(execution, { type: "build.passed", data: { attempt, pages, bytes, durationMs } });
    return { result };
  } catch (failure) {
    signal.throwIfAborted();
    if (!(failure instanceof BuildFailed)) throw failure;
    say(execution, { type: "build.failed", data: { attempt, errors: failure.errors } });
    return { failure };
  }
}
