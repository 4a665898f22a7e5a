import { makeSemaphore } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import type { Agent } from "../agent/agent.ts";
import { removeWorkspace } from "../workspace/workspace.ts";
import { type BuildGateOptions, makeBuildGate } from "./build-gate.ts";
import { executeEdit } from "./edit.ts";
import { endUnfinished, Interrupted } from "./ending.ts";
import { type Execution, RunLost } from "./execution.ts";
import { findRequest } from "./request-store.ts";
import { executeRestore } from "./restore.ts";
import { findRun, findStatus } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";

export interface WorkerOptions
  extends
    Surroundings,
    Pick<Execution, "db" | "clock" | "events" | "repository" | "limits" | "log">,
    Omit<BuildGateOptions, "repository"> {
  ownerName: string;
  /** The agent as configured now. */
  agent: () => Promise<Agent>;
  /** Publishes a run that is ready. */
  publish: (runId: string) => Promise<unknown>;
  /** Removes what runs have left that nobody needs; called after each run. */
  tidy: () => Promise<void>;
  /** How many runs are worked on at once. */
  parallel: number;
}

/** Carries out queued runs in this process. */
export interface Worker {
  enqueue(runId: string): void;
  /** Stops the work on a run that has been cancelled; ends when nothing of it is left. */
  stop(runId: string): Promise<void>;
  /** Waits until this process has nothing more to do for the run. */
  settled(runId: string): Promise<void>;
  /** Interrupts what is running and waits for it; nothing new is begun. */
  close(): Promise<void>;
}

interface Active {
  controller: AbortController;
  /** False while it waits for its turn. */
  begun: boolean;
  done: Promise<void>;
}

/** The longest that a run may take as a whole, in ms: the agent's time and that of its builds. */
function wholeTime(limits: Execution["limits"]): number {
  return (limits.run.minutes * 60 + limits.build.seconds * 4) * 1000;
}

/** How often a run looks whether another process has moved it on, in ms. */
const watchMs = 2000;

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
    if (status === "cancelled" || status === "interrupted") controller.abort(new RunLost());
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
    if (ready) await tellReady(options, row.id);
    else await removeWorkspace(execution.repository, row.id);
    return;
  }
  await executeRestore(execution, options.ownerName);
  // Refused by a conflict, it stays ready: its record and its stream say why.
  await options
    .publish(row.id)
    .catch((error: unknown) => options.log.warn({ err: error, runId: row.id }, "restore refused"));
}

async function work(options: WorkerOptions, runId: string, controller: AbortController) {
  const { log, db } = options;
  try {
    const row = await findRun(db, runId);
    if (!row) return;
    const { signal } = controller;
    const request = await findRequest(db, runId);
    const gate = makeBuildGate(options);
    const execution: Execution = { ...options, row, request, signal, gate };
    const unwatch = watch(execution, controller);
    try {
      await execute(options, execution);
    } catch (error) {
      await endUnfinished(execution, error);
    } finally {
      unwatch();
    }
    await options.tidy();
  } catch (error) {
    log.error({ err: error, runId }, "run could not be ended, or its leftovers not removed");
  }
}

export function makeWorker(options: WorkerOptions): Worker {
  const active = new Map<string, Active>();
  const turns = makeSemaphore(options.parallel);
  let closed = false;

  return {
    enqueue(runId) {
      if (closed) return;
      const { promise: done, resolve: finish } = Promise.withResolvers<void>();
      const run: Active = { controller: new AbortController(), begun: false, done };
      active.set(runId, run);
      void turns.run(async () => {
        run.begun = true;
        await work(options, runId, run.controller);
        active.delete(runId);
        finish();
      });
    },
    async stop(runId) {
      const run = active.get(runId);
      run?.controller.abort(new RunLost());
      if (run?.begun) await run.done;
    },
    async settled(runId) {
      await active.get(runId)?.done;
    },
    async close() {
      closed = true;
      for (const { controller } of active.values()) controller.abort(new Interrupted());
      await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}
