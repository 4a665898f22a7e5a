import { constants } from "node:fs";
import { chmod, chown, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../kit/clock.ts";
import { makeSemaphore } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Config, Limits } from "../../../platform/config.ts";
import { removeTree } from "../../../platform/files.ts";
import type { Log } from "../../../platform/log.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import { type Slots, unlimitedSlots } from "../../../platform/slots.ts";
import { processFolder, removeLeftoverFolders } from "../process-folders.ts";
import { sandboxUser } from "../sandbox-user.ts";
import { type Container, containerOf, headBytes } from "./container.ts";
import { readDuration } from "./duration.ts";
import { encodeVideo } from "./encode.ts";
import { notAVideo } from "./failures.ts";
import { takeOutput } from "./take-output.ts";
import { videoName, posterName } from "./plan.ts";
import { type VideoState, makeFfmpegAvailability } from "./ffmpeg-availability.ts";
import { type VideoMetadata, probeVideo } from "./probe.ts";
import type { VideoSandbox } from "./sandbox.ts";
import type { FfmpegLocations } from "./ffmpeg-tools.ts";

export interface VideoJob {
  /**
   * The received video: a regular file. Its mode may be changed so that the sandbox can read it.
   */
  file: string;
  /** An existing folder for the results. */
  outDir: string;
  /** The name of the results without extension. */
  stem: string;
  signal?: AbortSignal;
  /** Called with the progress, 0 to 1; null if unknown. */
  onProgress?(fraction: number | null): void;
}

/** A converted video: H.264 in MP4, without sound and metadata. */
export interface ConvertedVideo {
  /** Names relative to `outDir`. */
  file: string;
  poster: string;
  width: number;
  height: number;
  /** Seconds. */
  duration: number;
  bytes: number;
  mime: "video/mp4";
}

export interface VideoConverter {
  /**
   * The current state. While videos can't be accepted, reading it starts another check in the
   * background.
   */
  readonly state: VideoState;
  /**
   * Converts a video, one at a time; others wait. After a failure, `outDir` is empty. Throws
   * AppError `unsupported_media_type` for a file that isn't a video, `bad_media` with
   * `details.reason`, `unavailable` without ffmpeg or with a full queue (Retry-After), `disk_full`,
   * `too_large`; an abort throws the signal's reason.
   */
  convert(job: VideoJob): Promise<ConvertedVideo>;
  /** Stops the running job and refuses waiting ones. */
  close(): Promise<void>;
}

export interface VideoConverterDependencies {
  paths: Pick<InstancePaths, "data">;
  limits: Pick<Limits["media"], "videoMiB" | "videoSeconds" | "videoEdge" | "queue">;
  sandbox: Config["sandbox"];
  log: Log;
  clock: Clock;
  /** The turns of this site among others; without, only its own videos wait for each other. */
  slots?: Slots;
  tools?: FfmpegLocations;
  timeouts?: Partial<VideoTimeouts>;
}

/**
 * Limits in seconds. The first three are of the time of all processors: for reading the video's packets,
 * for converting it, and in addition per second of video. They don't run out while others keep the
 * machine busy. The last is how long a program may print nothing.
 */
export interface VideoTimeouts {
  probe: number;
  convert: number;
  convertPerSecond: number;
  silence: number;
}

const defaultTimeouts: VideoTimeouts = {
  probe: 15,
  convert: 30,
  convertPerSecond: 3,
  silence: 120,
};
const retryAfterSeconds = 30;

/**
 * The container of a received video. Throws AppError `unsupported_media_type` for anything else.
 */
async function openContainer(file: string): Promise<Container> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (!(await handle.stat()).isFile()) throw notAVideo();
    const head = Buffer.alloc(headBytes);
    const { bytesRead } = await handle.read(head, 0, headBytes, 0);
    const container = containerOf(head.subarray(0, bytesRead));
    if (container === null) throw notAVideo();
    return container;
  } finally {
    await handle.close();
  }
}

/** Lets the sandbox's user read a file of this process's user. */
async function openToSandbox(file: string, user: number | null): Promise<void> {
  if (user === null) return;
  await chown(file, process.getuid?.() ?? 0, user);
  await chmod(file, 0o640);
}

type CancellableVideoJob = VideoJob & { signal: AbortSignal };

interface VideoWorkspace {
  videosDir: string;
  limits: VideoConverterDependencies["limits"];
  timeouts: VideoTimeouts;
}

/** Converts into the sandbox's folder and takes over the results. */
async function makeFiles(
  sandbox: VideoSandbox,
  { videosDir, limits, timeouts }: VideoWorkspace,
  {
    job,
    facts: metadata,
    user,
  }: { job: CancellableVideoJob; facts: VideoMetadata; user: number | null },
): Promise<ConvertedVideo> {
  const output = processFolder(videosDir);
  const seconds = metadata.duration ?? limits.videoSeconds;
  const maxBytes = limits.videoMiB * 2 ** 20;
  const results = { film: `${job.stem}.mp4`, poster: `${job.stem}-poster.jpg` };
  const take = (from: string, to: string, kind: "mp4" | "jpg") =>
    takeOutput(join(output, from), join(job.outDir, to), kind, maxBytes);
  try {
    await mkdir(output, { recursive: true, mode: 0o700 });
    if (user !== null) await chown(output, user, user);
    const size = await encodeVideo(sandbox, {
      file: job.file,
      metadata,
      output,
      maxBytes,
      signal: job.signal,
      onProgress: job.onProgress,
      maxSeconds: limits.videoSeconds,
      cpuMs: (timeouts.convert + timeouts.convertPerSecond * seconds) * 1000,
      silenceMs: timeouts.silence * 1000,
    });
    await take(posterName, results.poster, "jpg");
    const duration = await readDuration(join(output, videoName));
    const bytes = await take(videoName, results.film, "mp4");
    const { film: file, poster } = results;
    return { file, poster, ...size, duration, bytes, mime: "video/mp4" };
  } catch (error) {
    for (const name of Object.values(results)) await rm(join(job.outDir, name), { force: true });
    throw error;
  } finally {
    await removeTree(output);
  }
}

async function convertVideo(
  sandbox: VideoSandbox,
  workspace: VideoWorkspace,
  job: CancellableVideoJob,
): Promise<ConvertedVideo> {
  const { file, signal } = job;
  const { limits, timeouts } = workspace;
  const container = await openContainer(file);
  const user = sandbox.tier === "prlimit" ? null : sandboxUser();
  await openToSandbox(file, user);
  const bounds = {
    maxSeconds: limits.videoSeconds,
    maxEdge: limits.videoEdge,
    cpuMs: timeouts.probe * 1000,
    silenceMs: timeouts.silence * 1000,
  };
  const metadata = await probeVideo(sandbox, { file, container, signal }, bounds);
  return makeFiles(sandbox, workspace, { job, facts: metadata, user });
}

/**
 * A converter that runs ffmpeg in a sandbox, one video at a time with low priority. It looks for
 * ffmpeg and tests the sandbox now; without them, it answers `unavailable` until they are there.
 */
export async function makeVideoConverter(
  deps: VideoConverterDependencies,
): Promise<VideoConverter> {
  const { limits, slots = unlimitedSlots } = deps;
  const workspace: VideoWorkspace = {
    videosDir: join(deps.paths.data, "films"),
    limits,
    timeouts: { ...defaultTimeouts, ...deps.timeouts },
  };
  await removeLeftoverFolders(workspace.videosDir);
  const ffmpegAvailability = await makeFfmpegAvailability(deps);
  const mutex = makeSemaphore(1);
  const closing = new AbortController();
  const present = new Set<Promise<ConvertedVideo>>();

  const convert = async (job: VideoJob): Promise<ConvertedVideo> => {
    const signal = AbortSignal.any([closing.signal, ...(job.signal ? [job.signal] : [])]);
    const sandbox = await ffmpegAvailability.sandbox();
    const work = () => convertVideo(sandbox, workspace, { ...job, signal });
    return mutex.run(() => slots.run(work, signal), signal);
  };

  return {
    get state() {
      return ffmpegAvailability.state();
    },
    convert: async (job) => {
      if (present.size > limits.queue) {
        throw new AppError("unavailable", "Too many videos are waiting. Try again in a moment.", {
          headers: { "retry-after": `${retryAfterSeconds}` },
        });
      }
      const result = convert(job);
      present.add(result);
      try {
        return await result;
      } finally {
        present.delete(result);
      }
    },
    close: async () => {
      closing.abort(
        new AppError("unavailable", "The server is shutting down. Try again in a moment."),
      );
      await Promise.allSettled(present);
    },
  };
}
