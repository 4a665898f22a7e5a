import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { makeSemaphore } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Limits } from "../../../platform/config.ts";
import type { Log } from "../../../platform/log.ts";
import { nodeBinary } from "../../../platform/paths.ts";
import { lowerPriority } from "../../../platform/process.ts";
import { isSvg, readHead, requireMedia } from "../media-type.ts";
import type {
  ConvertTask,
  ImageResponse,
  ImageFailure,
  ImageOutput,
  ImageResult,
  ImageTask,
} from "./protocol.ts";

const entry = join(import.meta.dirname, "worker.ts");

/** How much of what a process says on its way down is kept for the log, in characters. */
const maxStderrLength = 2000;

/** One process that works on one file at a time. */
interface ImageProcess {
  /** False once it was told to end, or ended. */
  isAlive(): boolean;
  /**
   * Hands over a task. A process that takes too long or dies fails that task alone, as `bad_media`
   * with reason `timeout` or `undecodable`; one that never started as `unavailable`. An abort kills
   * it and throws the signal's reason.
   */
  ask(task: ImageTask, signal?: AbortSignal): Promise<ImageResponse>;
  /** Ends it for good; a task under way fails. Resolves when the process is gone. */
  end(): Promise<void>;
}

interface ImageProcessOptions {
  log: Log;
  /** How long it may lie idle before it is ended, in ms. */
  idleMs: number;
  /** How long a task may take, in ms. */
  timeoutMs: number;
  /** A folder of the program's own in which compiled code is kept: a process then starts in half the time. */
  cacheDir: string | undefined;
}

/** glibc keeps a heap for each thread otherwise, and what one has freed the others can't use. */
const allocation = { MALLOC_ARENA_MAX: "1" };

function badMedia(reason: string, message: string): AppError {
  return new AppError("bad_media", message, { details: { reason } });
}

interface Running {
  kill(): void;
  send(task: ImageTask): void;
  exited: Promise<unknown>;
}

/** As ffmpeg does, it yields to whoever answers visitors. */
const niceness = 10;

/** Starts the process; it takes nothing of our environment along. `gone` hears why it ended. */
function startChild(
  { log, cacheDir }: ImageProcessOptions,
  on: { answer(response: ImageResponse): void; ended(reason: AppError): void },
): Running {
  const child = fork(entry, [], {
    execPath: nodeBinary,
    execArgv: ["--expose-gc", "--max-semi-space-size=1"],
    env: { ...allocation, ...(cacheDir === undefined ? {} : { NODE_COMPILE_CACHE: cacheDir }) },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  lowerPriority(child, niceness);
  let started = false;
  let killed = false;
  let stderr = "";
  const gone = (cause?: Error) => {
    const message = "The image worker can't be started.";
    if (!started) on.ended(new AppError("unavailable", message, { cause }));
    else on.ended(badMedia("undecodable", "The image can't be decoded."));
  };
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString("utf8")).slice(-maxStderrLength);
  });
  child.on("message", (message: ImageResponse | "ready") => {
    if (message === "ready") started = true;
    else on.answer(message);
  });
  child.on("error", gone);
  child.on("exit", (code, signal) => {
    if (!killed) log.warn({ code, signal, stderr }, "an image worker died");
    gone();
  });
  return {
    exited: once(child, "exit").catch(() => undefined),
    // A channel that fails is told by the end of the process.
    send: (task) => void child.send(task, () => {}),
    kill() {
      killed = true;
      child.kill("SIGKILL");
    },
  };
}

/** Starts one; it ends by itself when it lies idle. */
function startImageProcess(options: ImageProcessOptions): ImageProcess {
  const { log, idleMs, timeoutMs } = options;
  let alive = true;
  let idleTimer: NodeJS.Timeout | undefined;
  let current: PromiseWithResolvers<ImageResponse> | undefined;
  const child = startChild(options, {
    answer: (response) => current?.resolve(response),
    ended: fail,
  });

  function end(): void {
    alive = false;
    clearTimeout(idleTimer);
    child.kill();
  }

  function fail(reason: unknown): void {
    end();
    current?.reject(reason);
  }

  async function ask(task: ImageTask, signal?: AbortSignal): Promise<ImageResponse> {
    signal?.throwIfAborted();
    clearTimeout(idleTimer);
    current = Promise.withResolvers();
    const timeout = setTimeout(() => {
      log.warn({ timeoutMs }, "an image worker was killed: it took too long");
      fail(badMedia("timeout", "The image took too long to decode."));
    }, timeoutMs);
    const abort = () => fail(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    child.send(task);
    try {
      return await current.promise;
    } finally {
      clearTimeout(timeout);
      signal?.removeEventListener("abort", abort);
      current = undefined;
      if (alive) idleTimer = setTimeout(end, idleMs).unref();
    }
  }

  return {
    isAlive: () => alive,
    ask,
    async end() {
      end();
      await child.exited;
    },
  };
}

interface ImageJob {
  file: string;
  /** A folder that holds nothing of this stem yet. */
  outDir: string;
  /** What the names of all that is made begin with. */
  stem: string;
  /** What the main image is to be; the image itself decides where none is named. */
  output?: ImageOutput;
  /** Whether a drawing in SVG is rendered; otherwise it is refused. */
  acceptsSvg?: boolean;
  signal?: AbortSignal;
  /** Called when the job leaves the waiting line. */
  onStart?(): void;
}

/** Processes that convert images, started when there is work. */
export interface ImageWorkers {
  /**
   * Makes what is stored of an image, in `outDir`. Throws `unsupported_media_type`, `bad_media` with
   * `details.reason`, `unavailable` when too many wait; an abort throws the signal's reason. What was
   * written by then is the caller's to remove.
   */
  convert(job: ImageJob): Promise<ImageResult>;
  /** The placeholder, a data address, of a JPEG of our own making. Errors as of `convert`. */
  placeholder(job: { file: string; signal?: AbortSignal }): Promise<string>;
  /** Ends all processes; what is under way throws `unavailable`. */
  close(): Promise<void>;
}

export interface ImageWorkersOptions {
  limits: Limits["media"];
  log: Log;
  /** How many files are worked on at once: 2 unless told. */
  workers?: number;
  /** How long a process is kept without work, in ms: a minute unless told. */
  idleMs?: number;
  /** A folder of the program's own for compiled code: processes then start in half the time. */
  cacheDir?: string;
}

/** A process that holds more memory than this after a file, in bytes, is replaced. */
const recycleAbove = 500 * 1024 * 1024;

function refusal({ reason, message }: ImageFailure): AppError {
  if (reason === "disk_full") {
    return new AppError("disk_full", "The disk is full. Nothing was stored.");
  }
  if (reason === "internal") {
    const cause = new Error(message);
    return new AppError("internal", "The image couldn't be processed.", { cause });
  }
  return badMedia(reason, message);
}

function resultOrThrow<T>(response: ImageResponse): T {
  if ("failure" in response) throw refusal(response.failure);
  return response.result as T;
}

function convertTask(
  job: ImageJob,
  format: ConvertTask["format"],
  limits: Limits["media"],
): ImageTask {
  const { file, outDir, stem, output } = job;
  const { megapixels, avifMegapixels, frames, animationMegapixels } = limits;
  const bounds = { megapixels, avifMegapixels, frames, animationMegapixels };
  const task: ImageTask = { task: "convert", file, format, outDir, stem, limits: bounds };
  return output === undefined ? task : { ...task, output };
}

async function formatOf({ file, acceptsSvg }: ImageJob): Promise<ConvertTask["format"]> {
  const head = await readHead(file);
  if (acceptsSvg === true && isSvg(head)) return "svg";
  const type = requireMedia(head);
  if (type.kind !== "image") throw badMedia("undecodable", "This is a video, not an image.");
  return type.format;
}

/** The workers of one server; a process is started when an image comes. */
export function makeImageWorkers(options: ImageWorkersOptions): ImageWorkers {
  const { limits, log, workers = 2, idleMs = 60_000, cacheDir } = options;
  const timeoutMs = limits.imageSeconds * 1000;
  const places = makeSemaphore(workers);
  const closing = new AbortController();
  const alive = new Set<ImageProcess>();
  let idle: ImageProcess[] = [];
  let inside = 0;

  async function work(task: ImageTask, signal: AbortSignal): Promise<ImageResponse> {
    idle = idle.filter((each) => each.isAlive());
    const worker = idle.pop() ?? startImageProcess({ log, idleMs, timeoutMs, cacheDir });
    alive.add(worker);
    try {
      const response = await worker.ask(task, signal);
      if (response.rss > recycleAbove) void worker.end();
      return response;
    } finally {
      if (worker.isAlive()) idle.push(worker);
      else alive.delete(worker);
    }
  }

  async function ask(
    task: ImageTask,
    job: { signal?: AbortSignal; onStart?(): void },
  ): Promise<ImageResponse> {
    if (inside >= workers + limits.queue) {
      const message = "Too many images are being processed. Try again in a moment.";
      throw new AppError("unavailable", message, { headers: { "Retry-After": "10" } });
    }
    const signals = job.signal ? [closing.signal, job.signal] : [closing.signal];
    const signal = AbortSignal.any(signals);
    inside += 1;
    try {
      return await places.run(() => {
        job.onStart?.();
        return work(task, signal);
      }, signal);
    } finally {
      inside -= 1;
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
    async close() {
      closing.abort(new AppError("unavailable", "The server is shutting down."));
      await Promise.all([...alive].map((worker) => worker.end()));
      alive.clear();
    },
  };
}
