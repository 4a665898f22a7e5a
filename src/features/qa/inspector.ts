import { Worker } from "node:worker_threads";
import { AppError } from "../../kit/errors.ts";
import type { Inspected, Inspection } from "./inspect.ts";
import type { FromWorker, ToWorker } from "./inspect-worker.ts";

/**
 * One page may take this long, in ms, before its thread is ended and it counts as not checked; short
 * enough for the inspection to go on without two of them while its caller still waits.
 */
const pagePatience = 12_000;
/** A thread that doesn't hear a stop for this long, in ms, hangs. */
const stopPatience = 5000;
/** So many pages may do so; then the inspection fails. */
const mostStalls = 3;
/** A thread without work is ended after this, in ms; what it has in memory goes with it. */
const idleTime = 10 * 60_000;

interface Pending {
  job: Inspection;
  settle(error: Error | null, result?: Inspected): void;
}

export interface Inspector {
  inspect(job: Omit<Inspection, "skip">, signal: AbortSignal): Promise<Inspected>;
}

/**
 * Inspects builds in a thread of its own, so that nothing here waits for it. A page that makes the
 * thread hang costs the thread, and the inspection goes on without that page.
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeInspector(
  options: { pagePatience?: number; stopPatience?: number } = {},
): Inspector {
  const patience = options.pagePatience ?? pagePatience;
  const pending = new Map<number, Pending>();
  /** Those that were stopped, until the thread has heard it. */
  const stopping = new Map<number, NodeJS.Timeout>();
  /** What the thread is at. */
  let at: { id: number; path: string } | null = null;
  let worker: Worker | null = null;
  let watch: NodeJS.Timeout | undefined;
  let last = 0;

  function hire(): Worker {
    const fresh = new Worker(new URL("./inspect-worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
      // Whatever the process was started with is for the process.
      execArgv: [],
    });
    fresh.on("message", (message: FromWorker) => {
      if (worker === fresh) hear(message);
    });
    fresh.on("error", () => fresh === worker && replace());
    fresh.on("exit", () => fresh === worker && replace());
    fresh.unref();
    return fresh;
  }

  function say(message: ToWorker): void {
    worker ??= hire();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(message);
  }

  function rewatch(): void {
    clearTimeout(watch);
    const busy = pending.size > 0;
    watch = setTimeout(busy ? replace : retire, busy ? patience : idleTime);
    watch.unref();
    if (busy) worker?.ref();
    else worker?.unref();
  }

  function retire(): void {
    void worker?.terminate();
    worker = null;
    at = null;
    for (const grace of stopping.values()) clearTimeout(grace);
    stopping.clear();
  }

  /** Ends the thread and has another one take up what is left, without the page it hung at. */
  function replace(): void {
    const hung = at;
    retire();
    for (const [id, { job, settle }] of pending) {
      const skip = hung?.id === id ? [...job.skip, hung.path] : job.skip;
      // Without having begun a page, another thread would hang as well.
      if (hung === null || skip.length > mostStalls) {
        settle(new AppError("internal", "The build could not be checked."));
        continue;
      }
      const again = { ...job, skip };
      pending.set(id, { job: again, settle });
      say({ kind: "inspect", id, job: again });
    }
    rewatch();
  }

  function hear(message: FromWorker): void {
    const { id } = message;
    if (message.kind === "page") at = { id, path: message.path };
    else {
      if (at?.id === id) at = null;
      clearTimeout(stopping.get(id));
      stopping.delete(id);
    }
    const found = pending.get(id);
    if (!found) return;
    if (message.kind === "done") found.settle(null, message.result);
    else if (message.kind === "failed") found.settle(message.error);
    rewatch();
  }

  return {
    inspect: (job, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) throw signal.reason as Error;
        const id = ++last;
        const stop = () => {
          say({ kind: "stop", id });
          const grace = setTimeout(replace, options.stopPatience ?? stopPatience);
          stopping.set(id, grace.unref());
          settle(signal.reason as Error);
        };
        const settle: Pending["settle"] = (error, result) => {
          pending.delete(id);
          signal.removeEventListener("abort", stop);
          if (result) resolve(result);
          else reject(error ?? new AppError("internal", "The build could not be checked."));
          rewatch();
        };
        signal.addEventListener("abort", stop);
        const whole = { ...job, skip: [] };
        pending.set(id, { job: whole, settle });
        say({ kind: "inspect", id, job: whole });
        rewatch();
      }),
  };
}
