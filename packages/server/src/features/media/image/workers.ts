import { join } from "node:path";
import { makeSemaphore } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Config, Limits } from "../../../platform/config.ts";
import type { Log } from "../../../platform/log.ts";
import { lowerTreePriority, processTree } from "../../../platform/process-tree.ts";
import { type Slots, unlimitedSlots } from "../../../platform/slots.ts";
import { launch, type SandboxedProcess } from "../../../platform/sandbox/launch.ts";
import { eachLine } from "../../../platform/sandbox/lines.ts";
import { removeLeftoverFolders } from "../process-folders.ts";
import { sandboxUser } from "../sandbox-user.ts";
import type { Variant } from "./encode.ts";
import { badMedia, convertTask, formatOf, type ImageJob, resultOrThrow } from "./image-job.ts";
import {
  type AvifTask,
  filesOfResponse,
  type ImageResponse,
  type ImageResult,
  type ImageTask,
  readResponse,
} from "./protocol.ts";
import {
  commandEnvironment,
  type ImageSandboxTier,
  insideFolders,
  makeTierChoice,
  type TierChoice,
  workerCommand,
} from "./sandbox.ts";
import { limitWork } from "./work-limit.ts";
import { makeWorkerWorkspace, sourceName, type WorkerWorkspace } from "./worker-folders.ts";

/** Maximum characters of a dying process's output that are kept for the log. */
const maxStderrLength = 2000;
const maxLineLength = 4096;

/**
 * Like ffmpeg, it has a lower priority than the processes that serve visitors. With an even lower one,
 * images would get nearly no time on a busy machine.
 */
const niceness = 10;

/** How much longer AVIF variants may take, which nobody waits for. */
const avifTimes = 4;

/** How many tasks a process works on before another takes its place. */
const maxTasks = 100;

/** A process that converts one file at a time. */
interface ImageProcess {
  /** False once it was told to end or has ended. */
  isAlive(): boolean;
  /**
   * Runs a task. If the process takes too long or dies, only this task fails, as `bad_media` with
   * reason `timeout` or `undecodable`. An abort kills it and throws the signal's reason. Paths are
   * those of this process; results are in the task's folder afterwards.
   */
  ask(task: ImageTask, signal?: AbortSignal): Promise<ImageResponse>;
  /** Ends it; a running task fails. Resolves when the process has exited. */
  end(): Promise<void>;
}

interface ImageProcessOptions {
  log: Log;
  /** How long it may be idle before it is ended, in ms. */
  idleMs: number;
  /** Limit of a task's processor time, in ms. */
  timeoutMs: number;
  /** Where to create its folders. */
  dir: string;
  tiers: TierChoice;
}

const undecodable = () => badMedia("undecodable", "The image can't be decoded. Export it again.");

/** A process that waits for tasks. */
interface Started {
  tier: ImageSandboxTier;
  sandboxed: SandboxedProcess;
  /** The program itself: the innermost process. */
  pid: number;
  workspace: WorkerWorkspace;
  /** From now on this hears its lines. */
  attend(listener: (line: string) => void): void;
  /** The end of its error output. */
  complaints(): string;
}

/** Starts a process in a tier and waits until it is ready, or tells why it isn't. */
async function startIn(
  tier: ImageSandboxTier,
  { dir, timeoutMs }: ImageProcessOptions,
): Promise<Started | { problem: string }> {
  const user = tier === "prlimit" ? null : sandboxUser();
  const workspace = await makeWorkerWorkspace(dir, user);
  try {
    const cpuSeconds = Math.ceil((timeoutMs / 1000) * avifTimes * maxTasks);
    const sandboxed = await launch(workerCommand(tier, workspace, cpuSeconds), {
      contained: tier === "prlimit" ? null : tier,
      cwd: "/",
      env: commandEnvironment(tier),
    });
    let stderr = "";
    let listener = (_line: string) => {};
    const [stdout, errors] = sandboxed.output;
    stdout.resume();
    eachLine(errors, maxLineLength, (line) => {
      stderr = `${stderr}${line}\n`.slice(-maxStderrLength);
    });
    const isReady = Promise.withResolvers<boolean>();
    listener = (line) => isReady.resolve(line === '"ready"');
    sandboxed.onMessage((line) => listener(line));
    void sandboxed.exited.then(() => isReady.resolve(false));
    if (!(await isReady.promise)) {
      await sandboxed.kill();
      await workspace.remove();
      return { problem: stderr.trim().split("\n")[0] || "it doesn't start" };
    }
    await lowerTreePriority(sandboxed.pid, niceness);
    const pid = processTree(sandboxed.pid).at(-1) ?? sandboxed.pid;
    return {
      tier,
      sandboxed,
      pid,
      workspace,
      attend(next) {
        listener = next;
      },
      complaints: () => stderr,
    };
  } catch (error) {
    await workspace.remove();
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}

/** The task as the worker sees it, which may only know its own folders. */
function insideTask({ tier, workspace }: Started, task: ImageTask): ImageTask {
  const { input, output } = insideFolders(tier, workspace);
  const file = join(input, sourceName);
  return task.task === "placeholder" ? { ...task, file } : { ...task, file, outDir: output };
}

/** Sends a task and waits for its response, or for what `stopped` rejects with. */
async function exchange(
  started: Started,
  task: ImageTask,
  stopped: Promise<never>,
): Promise<ImageResponse> {
  const { sandboxed, workspace } = started;
  const answered = Promise.withResolvers<string>();
  started.attend(answered.resolve);
  await workspace.give(task.file);
  sandboxed.stdin.write(`${JSON.stringify(insideTask(started, task))}\n`);
  const response = readResponse(task, await Promise.race([answered.promise, stopped]));
  if (task.task !== "placeholder") await workspace.take(filesOfResponse(response), task.outDir);
  await workspace.clear();
  return response;
}

/**
 * Starts a process; it ends when it is idle for too long. Throws AppError `unavailable` if it can't be
 * started.
 */
async function startImageProcess(options: ImageProcessOptions): Promise<ImageProcess> {
  const { log, idleMs, timeoutMs, tiers } = options;
  const started = await tiers.run((tier) => startIn(tier, options));
  const { sandboxed, workspace } = started;
  let isAlive = true;
  let idleTimer: NodeJS.Timeout | undefined;
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => {});

  async function end(): Promise<void> {
    isAlive = false;
    clearTimeout(idleTimer);
    await sandboxed.kill();
    await gone;
  }

  function fail(reason: unknown): void {
    stopped.reject(reason);
    void end();
  }

  async function watchEnd(): Promise<void> {
    const { code, signal } = await sandboxed.exited;
    const stderr = started.complaints();
    if (isAlive) log.warn({ code, signal, stderr }, "an image worker died");
    isAlive = false;
    clearTimeout(idleTimer);
    stopped.reject(undecodable());
    await workspace.remove();
  }
  const gone = watchEnd().catch((error: unknown) => {
    log.error({ err: error }, "the folders of an image worker can't be removed");
  });

  async function ask(task: ImageTask, signal?: AbortSignal): Promise<ImageResponse> {
    signal?.throwIfAborted();
    clearTimeout(idleTimer);
    const limitMs = task.task === "avif" ? timeoutMs * avifTimes : timeoutMs;
    const stopLimit = await limitWork(started.pid, limitMs, () => {
      log.warn({ timeoutMs: limitMs }, "killed an image worker that took too long");
      fail(badMedia("timeout", "The image took too long to decode. Export it at a smaller size."));
    });
    const abort = () => fail(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await exchange(started, task, stopped.promise);
    } catch (error) {
      // Whatever it does next can't be trusted.
      fail(error);
      throw error;
    } finally {
      stopLimit();
      signal?.removeEventListener("abort", abort);
      if (isAlive) idleTimer = setTimeout(() => void end(), idleMs).unref();
    }
  }

  return { isAlive: () => isAlive, ask, end };
}

/** Processes that convert images, started on demand. */
export interface ImageWorkers {
  /**
   * Converts an image and writes the results to `outDir`. Throws `unsupported_media_type`,
   * `bad_media` with `details.reason`, `unavailable` if too many are waiting; an abort throws the
   * signal's reason. The caller removes files written before that.
   */
  convert(job: ImageJob): Promise<ImageResult>;
  /**
   * The placeholder, a data URL, of a JPEG that Vitrine has made. Throws the errors of `convert`.
   */
  placeholder(job: { file: string; signal?: AbortSignal }): Promise<string>;
  /**
   * Writes AVIF variants of a stored image; none if it is stored without loss, or if they wouldn't be
   * clearly smaller. Throws the errors of `convert`.
   */
  makeAvif(job: Omit<AvifTask, "task"> & { signal?: AbortSignal }): Promise<Variant[]>;
  /** Ends all processes; running jobs throw `unavailable`. */
  close(): Promise<void>;
}

export interface ImageWorkersOptions {
  limits: Limits["media"];
  log: Log;
  /** Number of processes; defaults to 2. */
  workers?: number;
  /** How long an idle process is kept, in ms; defaults to a minute. */
  idleMs?: number;
  /** How images are contained; defaults to `auto`. */
  sandbox?: Config["sandbox"];
  /** Where the processes have their folders. */
  dir: string;
  /** The turns of this site among others; without, only its own images wait for each other. */
  slots?: Slots;
}

/** A process that uses more memory than this after a file, in bytes, is replaced. */
const recycleAbove = 500 * 1024 * 1024;

/** Images that are converted at the same time. */
export const usualImageWorkers = 2;

function shuttingDown(): AppError {
  return new AppError("unavailable", "The server is shutting down. Try again in a moment.");
}

/** The processes, each with one task at a time; the caller limits how many there are. */
function makeWorkerPool(options: ImageWorkersOptions) {
  const { limits, log, idleMs = 60_000, dir } = options;
  const timeoutMs = limits.imageSeconds * 1000;
  const alive = new Map<ImageProcess, { tasks: number }>();
  let idle: ImageProcess[] = [];
  const tiers = makeTierChoice(options.sandbox ?? "auto", (reason) => {
    log.warn({ reason }, "images aren't sandboxed");
  });
  const cleaned = removeLeftoverFolders(dir).catch((error: unknown) => {
    log.warn({ err: error }, "folders of earlier image workers can't be removed");
  });

  async function takeWorker(): Promise<ImageProcess> {
    idle = idle.filter((each) => each.isAlive());
    const found = idle.pop();
    if (found) return found;
    await cleaned;
    const worker = await startImageProcess({ log, idleMs, timeoutMs, dir, tiers });
    alive.set(worker, { tasks: 0 });
    return worker;
  }

  return {
    async work(task: ImageTask, signal: AbortSignal): Promise<ImageResponse> {
      const worker = await takeWorker();
      const state = alive.get(worker) ?? { tasks: 0 };
      state.tasks += 1;
      try {
        const response = await worker.ask(task, signal);
        if (response.rss > recycleAbove || state.tasks >= maxTasks) void worker.end();
        return response;
      } finally {
        if (worker.isAlive()) idle.push(worker);
        else alive.delete(worker);
      }
    },
    async end(): Promise<void> {
      await Promise.all([...alive.keys()].map((worker) => worker.end()));
      alive.clear();
    },
  };
}

/** The image workers of one server; a process is started when an image arrives. */
export function makeImageWorkers(options: ImageWorkersOptions): ImageWorkers {
  const { limits, workers = usualImageWorkers, slots = unlimitedSlots } = options;
  const places = makeSemaphore(workers);
  const closing = new AbortController();
  const pool = makeWorkerPool(options);
  const inside = new Set<Promise<unknown>>();

  async function ask(
    task: ImageTask,
    job: { signal?: AbortSignal; onStart?(): void },
  ): Promise<ImageResponse> {
    if (inside.size >= workers + limits.queue) {
      const message = "Too many images are being processed. Try again in a moment.";
      throw new AppError("unavailable", message, { headers: { "Retry-After": "10" } });
    }
    const signals = job.signal ? [closing.signal, job.signal] : [closing.signal];
    const signal = AbortSignal.any(signals);
    const work = () => {
      job.onStart?.();
      return pool.work(task, signal);
    };
    const response = places.run(() => slots.run(work, signal), signal);
    inside.add(response);
    try {
      return await response;
    } finally {
      inside.delete(response);
    }
  }

  return {
    async convert(job) {
      const format = await formatOf(job);
      return resultOrThrow<ImageResult>(await ask(convertTask(job, format, limits), job));
    },
    async placeholder(job) {
      return resultOrThrow<string>(await ask({ task: "placeholder", file: job.file }, job));
    },
    async makeAvif({ signal, ...task }) {
      const response = await ask({ task: "avif", ...task }, signal ? { signal } : {});
      return resultOrThrow<Variant[]>(response);
    },
    async close() {
      closing.abort(shuttingDown());
      // One that is just being started, too.
      await Promise.allSettled(inside);
      await pool.end();
    },
  };
}
