import { makeSemaphore } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import type { Agent } from "../agent/agent.ts";
import { leaveWorkspace } from "../workspace/workspace.ts";
import { type BuildGateOptions, makeBuildGate } from "./build-gate.ts";
import { executeEdit } from "./edit.ts";
import { endUnfinished, type Failure, Interrupted } from "./ending.ts";
import { type Execution, RunLost } from "./execution.ts";
import { findRequest } from "./request-store.ts";
import { executeRestore } from "./restore.ts";
import type { RunStatus } from "./schema.ts";
import { findRun, findStatus } from "./store.ts";
import { taskOfRun } from "./task-store.ts";
import type { Surroundings } from "./surroundings.ts";

export interface WorkerOptions
  extends
    Surroundings,
    Pick<Execution, "db" | "clock" | "events" | "repository" | "limits" | "log">,
    Omit<BuildGateOptions, "repository"> {
  /** Read when it is needed: it can change meanwhile. */
  owner: { readonly name: string };
  /** The agent as configured now. */
  agent: () => Promise<Agent>;
  /** Publishes a run that is ready. */
  publish: (runId: string) => Promise<unknown>;
  /** Removes what runs have left that nobody needs; called after each run. */
  tidy: () => Promise<void>;
  /** Removes an artifact unless something shows it. */
  dropArtifact: (sha: string) => Promise<void>;
  /** How many runs are worked on at once. */
  parallel: number;
}

/** Carries out queued runs in this process. */
export interface Worker {
  enqueue(runId: string): void;
  /** Whether the run waits or is worked on here. */
  has(runId: string): boolean;
  /**
   * Stops the work on a run that has been cancelled; ends when nothing of it is left. With
   * Interrupted as the reason it is interrupted, as for a shutdown.
   */
  stop(runId: string, reason?: RunLost | Interrupted): Promise<void>;
  /**
   * Waits until this process has nothing more to do for the run. Gives what ended it before it was
   * ready; null where nothing did, or this process doesn't work on it.
   */
  settled(runId: string): Promise<Failure | null>;
  /** Interrupts what is running and waits for it; nothing new is begun. */
  close(): Promise<void>;
}

interface Active {
  controller: AbortController;
  done: Promise<Failure | null>;
}

/** The longest that a run may take as a whole, in ms: the agent's time and that of its builds. */
function wholeTime(limits: Execution["limits"]): number {
  return (limits.run.minutes * 60 + limits.build.seconds * 4) * 1000;
}

/** How often a run looks whether another process has moved it on, in ms. */
const watchMs = 2000;

/** How a run ends that isn't ready: by a person, or by who took its runner for dead. */
const endedByOthers: ReadonlySet<RunStatus> = new Set(["cancelled", "interrupted", "discarded"]);

/** Aborts a run that takes too long, or that somebody cancelled from another process. */
function watch(execution: Execution, controller: AbortController): () => void {
  const { row, db, limits } = execution;
  const late = new AppError("upstream_failed", "The run took too long and was stopped.", {
    details: { limit: "minutes" },
  });
  const deadline = setTimeout(() => controller.abort(late), wholeTime(limits));
  const look = async () => {
    // A database that is away for a moment says nothing about the run.
    const status = await findStatus(db, row.id).catch(() => null);
    if (status !== null && endedByOthers.has(status)) controller.abort(new RunLost());
  };
  const poll = setInterval(() => void look(), watchMs);
  return () => {
    clearTimeout(deadline);
    clearInterval(poll);
  };
}

/** Tells of a preview that waits; whether that can be told changes nothing about it. */
async function tellReady({ onReady, log }: WorkerOptions, runId: string): Promise<void> {
  await onReady(runId).catch((error: unknown) =>
    log.error({ err: error, runId }, "nobody could be told that a preview is ready"),
  );
}

async function execute(options: WorkerOptions, execution: Execution): Promise<void> {
  const { row } = execution;
  if (row.kind === "edit") {
    const ready = await executeEdit(execution, await options.agent());
    if (ready && execution.task === null) await tellReady(options, row.id);
    else if (!ready) await leaveWorkspace(execution.repository, row.id);
    return;
  }
  await executeRestore(execution, options.owner.name);
  // Refused by a conflict, it stays ready: its record and its stream say why.
  await options
    .publish(row.id)
    .catch((error: unknown) => options.log.warn({ err: error, runId: row.id }, "restore refused"));
}

/** Removes what was built and then not shown: it was refused, or another build took its place. */
async function dropUnshown(options: WorkerOptions, { row, built }: Execution): Promise<void> {
  const shown = (await findRun(options.db, row.id))?.artifact_sha;
  for (const sha of built) if (sha !== shown) await options.dropArtifact(sha);
}

async function work(
  options: WorkerOptions,
  runId: string,
  controller: AbortController,
): Promise<Failure | null> {
  const { log, db } = options;
  let failure: Failure | null = null;
  const leftovers: (() => Promise<void>)[] = [options.tidy];
  try {
    const row = await findRun(db, runId);
    if (!row) return null;
    const { signal } = controller;
    const request = await findRequest(db, runId);
    const task = await taskOfRun(db, runId);
    const gate = makeBuildGate(options);
    const execution: Execution = { ...options, row, request, task, signal, gate, built: new Set() };
    leftovers.unshift(() => dropUnshown(options, execution));
    const unwatch = watch(execution, controller);
    try {
      await execute(options, execution);
    } catch (error) {
      failure = await endUnfinished(execution, error);
    } finally {
      unwatch();
    }
  } catch (error) {
    log.error({ err: error, runId }, "run could not be ended");
  }
  // However it went, also where its end could not be written down.
  for (const remove of leftovers) {
    await remove().catch((error: unknown) =>
      log.warn({ err: error, runId }, "what a run has left can't be removed now"),
    );
  }
  return failure;
}

export function makeWorker(options: WorkerOptions): Worker {
  const active = new Map<string, Active>();
  const turns = makeSemaphore(options.parallel);
  let closed = false;

  return {
    enqueue(runId) {
      if (closed) return;
      const { promise: done, resolve: finish } = Promise.withResolvers<Failure | null>();
      const run: Active = { controller: new AbortController(), done };
      active.set(runId, run);
      const begin = async () => {
        const failure = await work(options, runId, run.controller);
        active.delete(runId);
        finish(failure);
      };
      // One that is stopped before its turn gives up its place, and only has to be ended.
      turns.run(begin, run.controller.signal).catch(begin);
    },
    has: (runId) => active.has(runId),
    async stop(runId, reason = new RunLost()) {
      const run = active.get(runId);
      run?.controller.abort(reason);
      await run?.done;
    },
    async settled(runId) {
      return (await active.get(runId)?.done) ?? null;
    },
    async close() {
      closed = true;
      for (const { controller } of active.values()) controller.abort(new Interrupted());
      await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}
