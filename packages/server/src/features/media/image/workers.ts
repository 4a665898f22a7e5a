import { fork } from "node:child_process";
import { once } from "node:events";
import { makeSemaphore } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Limits } from "../../../platform/config.ts";
import type { Log } from "../../../platform/log.ts";
import { nodeBinary, programFile } from "../../../platform/paths.ts";
import { lowerPriority } from "../../../platform/process.ts";
import { isSvg, readHead, requireMedia } from "../media-type.ts";
import type { Variant } from "./encode.ts";
import type {
  AvifTask,
  ConvertTask,
  ImageResponse,
  ImageFailure,
  ImageOutput,
  ImageResult,
  ImageTask,
} from "./protocol.ts";

const entry = programFile(new URL("./worker.ts", import.meta.url));

/** Maximum characters of a dying process's output that are kept for the log. */
const maxStderrLength = 2000;

/** A process that converts one file at a time. */
interface ImageProcess {
  /** False once it was told to end or has ended. */
  isAlive(): boolean;
  /**
   * Runs a task. If the process takes too long or dies, only this task fails, as `bad_media` with
   * reason `timeout` or `undecodable`; if it never started, as `unavailable`. An abort kills it and
   * throws the signal's reason.
   */
  ask(task: ImageTask, signal?: AbortSignal): Promise<ImageResponse>;
  /** Ends it; a running task fails. Resolves when the process has exited. */
  end(): Promise<void>;
}

interface ImageProcessOptions {
  log: Log;
  /** How long it may be idle before it is ended, in ms. */
  idleMs: number;
  /** Time limit of a task, in ms. */
  timeoutMs: number;
  /** A folder for the program's compiled code, which halves the start time of a process. */
  cacheDir: string | undefined;
}

/**
 * Otherwise, glibc keeps a heap for each thread, and memory freed by one thread isn't available to
 * others.
 */
const allocation = { MALLOC_ARENA_MAX: "1" };

function badMedia(reason: string, message: string): AppError {
  return new AppError("bad_media", message, { details: { reason } });
}

interface Running {
  kill(): void;
  send(task: ImageTask): void;
  exited: Promise<unknown>;
}

/** Like ffmpeg, it has a lower priority than the processes that serve visitors. */
const niceness = 10;

/** How much longer AVIF variants may take, which nobody waits for. */
const avifTimes = 4;

/** Starts the process without our environment. `gone` is called with the reason it ended. */
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
    else on.ended(badMedia("undecodable", "The image can't be decoded. Export it again."));
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
    // If the channel fails, the end of the process reports it.
    send: (task) => void child.send(task, () => {}),
    kill() {
      killed = true;
      child.kill("SIGKILL");
    },
  };
}

/** Starts a process; it ends when it is idle for too long. */
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
    const limitMs = task.task === "avif" ? timeoutMs * avifTimes : timeoutMs;
    const timeout = setTimeout(() => {
      log.warn({ timeoutMs: limitMs }, "killed an image worker that took too long");
      fail(badMedia("timeout", "The image took too long to decode. Export it at a smaller size."));
    }, limitMs);
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
  /** A folder that contains no files with this stem yet. */
  outDir: string;
  /** The beginning of all file names. */
  stem: string;
  /** The type of the main image; by default, it depends on the image. */
  output?: ImageOutput;
  /** The part of a still image that is kept, in its pixels. */
  crop?: ConvertTask["crop"];
  /** Whether a drawing in SVG is rendered; otherwise it is refused. */
  acceptsSvg?: boolean;
  signal?: AbortSignal;
  /** Called when the job leaves the queue. */
  onStart?(): void;
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
  /** A folder for the program's compiled code, which halves the start time of processes. */
  cacheDir?: string;
}

/** A process that uses more memory than this after a file, in bytes, is replaced. */
const recycleAbove = 500 * 1024 * 1024;

function refusal({ reason, message }: ImageFailure): AppError {
  if (reason === "disk_full") {
    return new AppError(
      "disk_full",
      "The disk is full. Nothing was stored. Free some space and try again.",
    );
  }
  if (reason === "internal") {
    const cause = new Error(message);
    return new AppError(
      "internal",
      "The image couldn't be processed. Export it again, or in another format.",
      { cause },
    );
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
  const { file, outDir, stem, output, crop } = job;
  const { megapixels, avifMegapixels, frames, animationMegapixels } = limits;
  const bounds = { megapixels, avifMegapixels, frames, animationMegapixels };
  const task: ConvertTask = { task: "convert", file, format, outDir, stem, limits: bounds };
  return { ...task, ...(output && { output }), ...(crop && { crop }) };
}

async function formatOf({ file, acceptsSvg }: ImageJob): Promise<ConvertTask["format"]> {
  const head = await readHead(file);
  if (acceptsSvg === true && isSvg(head)) return "svg";
  const type = requireMedia(head);
  if (type.kind !== "image") throw badMedia("undecodable", "This is a video, not an image.");
  return type.format;
}

/** Images that are converted at the same time. */
export const usualImageWorkers = 2;

function shuttingDown(): AppError {
  return new AppError("unavailable", "The server is shutting down. Try again in a moment.");
}

/** The image workers of one server; a process is started when an image arrives. */
export function makeImageWorkers(options: ImageWorkersOptions): ImageWorkers {
  const { limits, log, workers = usualImageWorkers, idleMs = 60_000, cacheDir } = options;
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
    async makeAvif({ signal, ...task }) {
      const response = await ask({ task: "avif", ...task }, signal ? { signal } : {});
      return resultOrThrow<Variant[]>(response);
    },
    async close() {
      closing.abort(shuttingDown());
      await Promise.all([...alive].map((worker) => worker.end()));
      alive.clear();
    },
  };
}
