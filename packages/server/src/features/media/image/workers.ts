import { makeSemaphore } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Config, Limits } from "../../../platform/config.ts";
import type { Log } from "../../../platform/log.ts";
import { isSvg, readHead, requireMedia } from "../media-type.ts";
import { removeLeftoverFolders } from "../process-folders.ts";
import type { Variant } from "./encode.ts";
import { badMedia, type ImageProcess, maxTasks, startImageProcess } from "./image-process.ts";
import { makeTierChoice } from "./sandbox.ts";
import type {
  AvifTask,
  ConvertTask,
  ImageResponse,
  ImageFailure,
  ImageOutput,
  ImageResult,
  ImageTask,
} from "./protocol.ts";

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
  /** How images are contained; defaults to `auto`. */
  sandbox?: Config["sandbox"];
  /** Where the processes have their folders. */
  dir: string;
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
  const { limits, workers = usualImageWorkers } = options;
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
    const response = places.run(() => {
      job.onStart?.();
      return pool.work(task, signal);
    }, signal);
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
