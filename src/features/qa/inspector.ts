import { Worker } from "node:worker_threads";
import { AppError } from "../../kit/errors.ts";
import type { Inspected, Inspection } from "./inspect.ts";
import type { FromWorker, ToWorker } from "./inspect-worker.ts";

/** One page may take this long, in ms, before its thread is ended and it counts as not checked. */
const pagePatience = 30_000;
/** So many pages may do so; then the inspection fails. */
const mostStalls = 3;
/** A thread without work is ended after this, in ms; what it has in memory goes with it. */
const idleTime = 10 * 60_000;

interface Pending {
  job: Inspection;
  page: string | null;
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
export function makeInspector(options: { pagePatience?: number } = {}): Inspector {
  const patience = options.pagePatience ?? pagePatience;
  const pending = new Map<number, Pending>();
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
  }

  /** Ends the thread and has another one take up what is left, without the pages it hung at. */
  function replace(): void {
    retire();
    for (const [id, { job, page, settle }] of pending) {
      const skip = page === null ? job.skip : [...job.skip, page];
      if (page === null || skip.length > mostStalls) {
        settle(new AppError("internal", "The build could not be checked."));
        continue;
      }
      const again = { ...job, skip };
      pending.set(id, { job: again, page: null, settle });
      say({ kind: "inspect", id, job: again });
    }
    rewatch();
  }

  function hear(message: FromWorker): void {
    const found = pending.get(message.id);
    if (!found) return;
    if (message.kind === "page") found.page = message.path;
    else if (message.kind === "done") found.settle(null, message.result);
    else found.settle(message.error);
    rewatch();
  }

  return {
    inspect: (job, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) throw signal.reason as Error;
        const id = ++last;
        const stop = () => {
          say({ kind: "stop", id });
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
        pending.set(id, { job: whole, page: null, settle });
        say({ kind: "inspect", id, job: whole });
        rewatch();
      }),
  };
}
