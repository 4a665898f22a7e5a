import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { AppError, type ErrorCode } from "../kit/errors.ts";

/**
 * How long a job may take, in ms, where the job says nothing else: many times what it needs, because
 * a busy machine lets any thread wait.
 */
const defaultTimeoutMs = 20_000;
const defaultThreads = 2;
const defaultMaxWaiting = 64;
/** Enough for the tree of an 8 MiB page within the bounds of `bounded-html.ts`. */
const defaultMaxHeapMb = 384;
/** A thread without work is ended after this, and what it has in memory goes with it. */
const idleMs = 60_000;

/** A function exported by a file, as the pool calls it: input and output are copied between threads. */
export interface WorkerJob<Input, Output> {
  /** The file's path. */
  file: string;
  /** The name under which the file exports the function. */
  name: string;
  /** How long one call may take in its thread, in ms. */
  timeoutMs: number;
  /** For the compiler only. */
  signature?: (input: Input) => Output;
}

/**
 * Describes a job for `WorkerPool.run`.
 * @param file the module that exports the function; import its type only, so that the thread alone
 *   loads it
 * @param timeoutMs 20,000 unless given
 */
export function workerJob<Work extends (input: never) => unknown>(
  file: URL,
  name: string,
  timeoutMs = defaultTimeoutMs,
): WorkerJob<Parameters<Work>[0], Awaited<ReturnType<Work>>> {
  return { file: fileURLToPath(file), name, timeoutMs };
}

export type WorkerFailureReason = "timeout" | "memory" | "crash" | "busy";

const failures: Record<WorkerFailureReason, [ErrorCode, string]> = {
  timeout: ["unavailable", "This took too long to process and was stopped."],
  memory: ["unavailable", "This needs too much memory to process and was stopped."],
  crash: ["internal", "This couldn't be processed."],
  busy: ["unavailable", "The server is busy. Try again in a moment."],
};

/** A job that gave no result because of its bounds, not because of what the job itself threw. */
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
  /** How many jobs run at once; 2 unless given. */
  threads?: number;
  /** How many jobs of each kind may wait for a thread; 64 unless given. */
  maxWaiting?: number;
  /** The most that the heap of one thread may hold, in MiB; 384 unless given. */
  maxHeapMb?: number;
}

export interface WorkerPool {
  /**
   * Runs a job in a thread. Jobs of different kinds take turns, those of one kind run in the order
   * in which they came.
   * @throws WorkerFailure when the job exceeds its time or memory, its thread dies, or too many of
   *   its kind wait; the signal's reason when it aborts; else what the job threw, as a plain Error. A thread
   *   whose job was stopped is ended at once and another takes its place.
   */
  run<Input, Output>(
    job: WorkerJob<Input, Output>,
    input: Input,
    options?: { signal?: AbortSignal },
  ): Promise<Output>;
  /** Ends all threads; jobs under way fail. */
  close(): Promise<void>;
}

interface JobSlots {
  /** Waits for a free place; throws the signal's reason, or `busy` when the queue is full. */
  acquire(kind: string, signal: AbortSignal | undefined): Promise<void>;
  release(): void;
}

/**
 * Places for `threads` jobs. Kinds of jobs that wait take turns, and each has a queue of its own, so
 * that many of one delay no other and take no other's place.
 */
function makeJobSlots(threads: number, maxWaiting: number): JobSlots {
  let free = threads;
  /** By kind, the kind whose turn it is first. */
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
  // Piscina's words for a thread that exited.
  const died = code === "ERR_WORKER_EXITED" || /^worker exited/i.test(String(message));
  return died ? new WorkerFailure("crash", error) : error;
}

/** Makes a pool of threads for work that would hold the event loop; threads start when needed. */
export function makeWorkerPool(options: WorkerPoolOptions = {}): WorkerPool {
  const threads = options.threads ?? defaultThreads;
  const slots = makeJobSlots(threads, options.maxWaiting ?? defaultMaxWaiting);
  const piscina = new Piscina({
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    // A stopped job must not leave its thread waiting where no signal reaches it.
    atomics: "disabled",
    // What the process was started with, and its environment, are for the process.
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
