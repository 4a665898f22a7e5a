import { Piscina } from "piscina";
import { AppError, type ErrorCode } from "../kit/errors.ts";
import { programFile } from "./paths.ts";

/**
 * Default time limit of a job, in ms: many times what it needs, because on a busy machine any
 * thread may have to wait.
 */
const defaultTimeoutMs = 20_000;
const defaultThreads = 2;
const defaultMaxWaiting = 64;
/** Enough for the tree of an 8 MiB page within the limits of `bounded-html.ts`. */
const defaultMaxHeapMb = 384;
/** An idle thread is ended after this time, and its memory is freed. */
const idleMs = 60_000;

/**
 * An exported function of a file, as called by the pool: input and output are copied between
 * threads.
 */
export interface WorkerJob<Input, Output> {
  /** The file's path. */
  file: string;
  /** The name of the exported function. */
  name: string;
  /** Time limit of one call in its thread, in ms. */
  timeoutMs: number;
  /** For the compiler only. */
  signature?: (input: Input) => Output;
}

/**
 * Describes a job for `WorkerPool.run`.
 * @param file the module that exports the function; import only its type, so that only the thread
 * loads it
 * @param timeoutMs defaults to 20,000
 */
export function workerJob<Work extends (input: never) => unknown>(
  file: URL,
  name: string,
  timeoutMs = defaultTimeoutMs,
): WorkerJob<Parameters<Work>[0], Awaited<ReturnType<Work>>> {
  return { file: programFile(file), name, timeoutMs };
}

export type WorkerFailureReason = "timeout" | "memory" | "crash" | "busy";

const failures: Record<WorkerFailureReason, [ErrorCode, string]> = {
  timeout: ["unavailable", "This took too long to process and was stopped."],
  memory: ["unavailable", "This needs too much memory to process and was stopped."],
  crash: ["internal", "This couldn't be processed."],
  busy: ["unavailable", "The server is busy. Try again in a moment."],
};

/** A job failed because of its limits, not because of an error that it threw. */
export class WorkerFailure extends AppError {
  readonly reason: WorkerFailureReason;

  constructor(reason: WorkerFailureReason, cause?: unknown) {
    const [code, message] = failures[reason];
    const headers = reason === "busy" ? { "retry-after": "5" } : undefined;
    super(code, message, { cause, ...(headers && { headers }) });
    this.name = "WorkerFailure";
    this.reason = reason;
  }
}

export interface WorkerPoolOptions {
  /** How many jobs run at once; defaults to 2. */
  threads?: number;
  /** How many jobs of each kind may wait; defaults to 64. */
  maxWaiting?: number;
  /** Maximum heap of one thread, in MiB; defaults to 384. */
  maxHeapMb?: number;
}

export interface WorkerPool {
  /**
   * Runs a job in a thread. Jobs of different kinds take turns; those of one kind run in order.
   * @throws WorkerFailure if the job exceeds its time or memory, its thread dies, or too many of
   * its kind are waiting; the signal's reason on abort; otherwise the job's error as a plain Error.
   * The thread of a stopped job is terminated and replaced immediately.
   */
  run<Input, Output>(
    job: WorkerJob<Input, Output>,
    input: Input,
    options?: { signal?: AbortSignal },
  ): Promise<Output>;
  /** Ends all threads; running jobs fail. */
  close(): Promise<void>;
}

interface JobSlots {
  /** Waits for a free slot; throws the signal's reason, or `busy` if the queue is full. */
  acquire(kind: string, signal: AbortSignal | undefined): Promise<void>;
  release(): void;
}

/**
 * Slots for `threads` jobs. Waiting kinds take turns and have separate queues, so that many jobs of
 * one kind delay no other.
 */
function makeJobSlots(threads: number, maxWaiting: number): JobSlots {
  let free = threads;
  /** By kind; the kind whose turn it is comes first. */
  const queues = new Map<string, (() => void)[]>();

  function remove(kind: string, admit: () => void): boolean {
    const queue = queues.get(kind);
    const at = queue?.indexOf(admit) ?? -1;
    if (queue === undefined || at < 0) return false;
    queue.splice(at, 1);
    if (queue.length === 0) queues.delete(kind);
    return true;
  }

  return {
    async acquire(kind, signal) {
      signal?.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return;
      }
      const queue = queues.get(kind) ?? [];
      if (queue.length >= maxWaiting) throw new WorkerFailure("busy");
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const giveUp = () => remove(kind, resolve) && reject(signal?.reason);
      queues.set(kind, [...queue, resolve]);
      signal?.addEventListener("abort", giveUp, { once: true });
      await promise.finally(() => signal?.removeEventListener("abort", giveUp));
    },
    release() {
      const next = queues.entries().next().value;
      if (next === undefined) {
        free += 1;
        return;
      }
      const [kind, [admit, ...rest]] = next;
      queues.delete(kind);
      if (rest.length > 0) queues.set(kind, rest);
      admit?.();
    },
  };
}

function failureOf(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return new WorkerFailure("memory", error);
  // Piscina's message for a thread that exited.
  const died = code === "ERR_WORKER_EXITED" || /^worker exited/i.test(String(message));
  return died ? new WorkerFailure("crash", error) : error;
}

/** Creates a pool of threads for work that would block the event loop; threads start on demand. */
export function makeWorkerPool(options: WorkerPoolOptions = {}): WorkerPool {
  const threads = options.threads ?? defaultThreads;
  const slots = makeJobSlots(threads, options.maxWaiting ?? defaultMaxWaiting);
  const piscina = new Piscina({
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    // A stopped job must not leave its thread waiting where no signal reaches it.
    atomics: "disabled",
    // The process's own options and environment are not for the threads.
    execArgv: [],
    env: {},
    resourceLimits: {
      maxOldGenerationSizeMb: options.maxHeapMb ?? defaultMaxHeapMb,
      maxYoungGenerationSizeMb: 32,
    },
  });
  return {
    async run(job, input, { signal } = {}) {
      await slots.acquire(`${job.file} ${job.name}`, signal);
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), job.timeoutMs);
      const stop = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
      try {
        return await piscina.run(input, { filename: job.file, name: job.name, signal: stop });
      } catch (error) {
        signal?.throwIfAborted();
        if (timeout.signal.aborted) throw new WorkerFailure("timeout", error);
        throw failureOf(error);
      } finally {
        clearTimeout(timer);
        slots.release();
      }
    },
    close: () => piscina.destroy(),
  };
}
