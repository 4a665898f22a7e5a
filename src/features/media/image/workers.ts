import { makeSemaphore } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Limits } from "../../../platform/config.ts";
import type { Log } from "../../../platform/log.ts";
import { type ImageProcess, startImageProcess } from "./worker-process.ts";
import type { ImageAnswer, ImageFailure, ImageOutput, ImageResult, ImageTask } from "./protocol.ts";
import { type ImageFormat, readHead, requireMedia } from "../media-type.ts";

export interface ImageJob {
  file: string;
  /** A folder that holds nothing of this stem yet. */
  outDir: string;
  /** What the names of all that is made begin with. */
  stem: string;
  /** What the main picture is to be; the picture itself decides where none is named. */
  output?: ImageOutput;
  signal?: AbortSignal;
  /** Called when the job leaves the waiting line. */
  onStart?(): void;
}

/** Processes that convert pictures, started when there is work. */
export interface ImageWorkers {
  /**
   * Makes what is stored of a picture, in `outDir`. Throws `unsupported_media_type`, `bad_media` with
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

function badMedia(reason: string, message: string): AppError {
  return new AppError("bad_media", message, { details: { reason } });
}

function refusal({ reason, message }: ImageFailure): AppError {
  if (reason === "disk_full") {
    return new AppError("disk_full", "The disk is full: nothing was stored.");
  }
  if (reason === "internal") {
    const cause = new Error(message);
    return new AppError("internal", "Something went wrong with the picture.", { cause });
  }
  return badMedia(reason, message);
}

function settle<T>(answer: ImageAnswer): T {
  if ("failure" in answer) throw refusal(answer.failure);
  return answer.result as T;
}

function convertTask(job: ImageJob, format: ImageFormat, limits: Limits["media"]): ImageTask {
  const { file, outDir, stem, output } = job;
  const { megapixels, avifMegapixels, frames, animationMegapixels } = limits;
  const bounds = { megapixels, avifMegapixels, frames, animationMegapixels };
  const task: ImageTask = { task: "convert", file, format, outDir, stem, limits: bounds };
  return output === undefined ? task : { ...task, output };
}

/** The workers of one server; a process is started when a picture comes. */
export function makeImageWorkers(options: ImageWorkersOptions): ImageWorkers {
  const { limits, log, workers = 2, idleMs = 60_000, cacheDir } = options;
  const timeoutMs = limits.imageSeconds * 1000;
  const places = makeSemaphore(workers);
  const closing = new AbortController();
  const alive = new Set<ImageProcess>();
  let idle: ImageProcess[] = [];
  let inside = 0;

  async function work(task: ImageTask, signal: AbortSignal): Promise<ImageAnswer> {
    idle = idle.filter((each) => each.isAlive());
    const worker = idle.pop() ?? startImageProcess({ log, idleMs, timeoutMs, cacheDir });
    alive.add(worker);
    try {
      const answer = await worker.ask(task, signal);
      if (answer.rss > recycleAbove) void worker.end();
      return answer;
    } finally {
      if (worker.isAlive()) idle.push(worker);
      else alive.delete(worker);
    }
  }

  async function ask(
    task: ImageTask,
    job: { signal?: AbortSignal; onStart?(): void },
  ): Promise<ImageAnswer> {
    if (inside >= workers + limits.queue) {
      throw new AppError("unavailable", "Too many pictures are being worked on. Try again soon.", {
        headers: { "Retry-After": "10" },
      });
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
      const type = requireMedia(await readHead(job.file));
      if (type.kind !== "image") throw badMedia("undecodable", "This is a film, not a picture.");
      return settle<ImageResult>(await ask(convertTask(job, type.format, limits), job));
    },
    async placeholder(job) {
      return settle<string>(await ask({ task: "placeholder", file: job.file }, job));
    },
    async close() {
      closing.abort(new AppError("unavailable", "The server is shutting down."));
      await Promise.all([...alive].map((worker) => worker.end()));
      alive.clear();
    },
  };
}
