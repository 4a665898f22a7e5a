import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { exists } from "../../../platform/files.ts";
import { videoError } from "./failures.ts";
import {
  type VideoPlan,
  videoName,
  lastPosterArguments,
  maxFrameRate,
  planVideo,
  posterName,
  type Size,
} from "./plan.ts";
import { type VideoMetadata, videoTooLong } from "./probe.ts";
import type { VideoSandbox, ToolResult } from "./sandbox.ts";

export interface EncodeJob {
  file: string;
  metadata: VideoMetadata;
  /** A folder that the sandbox's user may write to. */
  output: string;
  maxSeconds: number;
  maxBytes: number;
  cpuMs: number;
  silenceMs: number;
  signal: AbortSignal;
  /** Called with the progress, 0 to 1; null if unknown. */
  onProgress?: ((fraction: number | null) => void) | undefined;
}

/** ffmpeg's progress report: lines of `key=value`. */
interface Progress {
  frames: number;
  seconds: number;
}

/** If fewer of the expected frames than this were decoded, the video couldn't really be decoded. */
const minFramesShare = 0.4;

function readProgress(progress: Progress, line: string): void {
  const at = line.indexOf("=");
  const value = Number(line.slice(at + 1));
  if (!Number.isFinite(value)) return;
  if (line.startsWith("frame=")) progress.frames = value;
  if (line.startsWith("out_time_us=")) progress.seconds = Math.max(0, value / 1e6);
}

/** The expected number of frames; those above the maximum frame rate are dropped. */
function expectedFrames({ packets, duration, interlaced }: VideoMetadata): number {
  const frames = interlaced ? packets / 2 : packets;
  return duration === null ? frames : Math.min(frames, duration * maxFrameRate);
}

/** Why ffmpeg failed. */
function failureOf({ complaints, timedOut, code }: ToolResult, job: EncodeJob): Error {
  const cause = new Error(`ffmpeg ended with ${code}: ${complaints}`);
  if (timedOut) return videoError("timeout");
  if (complaints.includes("No space left on device")) {
    return new AppError(
      "disk_full",
      "The disk is full. Nothing was stored. Free some space and try again.",
      { cause },
    );
  }
  if (complaints.includes("File too large")) {
    const mebibytes = Math.round(job.maxBytes / 2 ** 20);
    const message = `The converted video would be larger than ${mebibytes} MiB.`;
    return new AppError("too_large", message, { cause });
  }
  return videoError("undecodable", "", cause);
}

function runPlan(
  sandbox: VideoSandbox,
  plan: Pick<VideoPlan, "arguments">,
  job: EncodeJob,
  onLine?: (line: string, stop: () => void) => void,
): Promise<ToolResult> {
  return sandbox.run({
    program: "ffmpeg",
    input: job.file,
    output: job.output,
    arguments: plan.arguments,
    fileBytes: job.maxBytes,
    cpuMs: job.cpuMs,
    silenceMs: job.silenceMs,
    signal: job.signal,
    ...(onLine === undefined ? {} : { onLine }),
  });
}

/**
 * Converts a video and makes its poster in the output folder; returns their dimensions. Throws
 * AppError `bad_media` with `undecodable` if little or nothing could be decoded, `timeout`, or
 * `duration_exceeded` if it is longer than its packets said; `too_large` and `disk_full`.
 */
export async function encodeVideo(sandbox: VideoSandbox, job: EncodeJob): Promise<Size> {
  const { metadata } = job;
  const plan = planVideo(metadata);
  const progress: Progress = { frames: 0, seconds: 0 };
  let tooLong = false;
  const result = await runPlan(sandbox, plan, job, (line, stop) => {
    readProgress(progress, line);
    if (!line.startsWith("progress=")) return;
    tooLong ||= progress.seconds > job.maxSeconds + 1;
    if (tooLong) stop();
    else job.onProgress?.(line === "progress=end" ? 1 : fractionOf(progress, metadata));
  });
  if (tooLong) throw videoTooLong(job.maxSeconds);
  if (result.code !== 0) throw failureOf(result, job);
  if (progress.frames === 0 || progress.frames < expectedFrames(metadata) * minFramesShare) {
    throw videoError(
      "undecodable",
      "",
      new Error(`${progress.frames} frames: ${result.complaints}`),
    );
  }
  if (!(await exists(join(job.output, posterName)))) {
    const video = { ...job, file: join(job.output, videoName) };
    const poster = await runPlan(sandbox, { arguments: lastPosterArguments }, video);
    if (poster.code !== 0) throw failureOf(poster, job);
  }
  return plan.size;
}

function fractionOf({ seconds }: Progress, { duration }: VideoMetadata): number | null {
  return duration === null || duration === 0 ? null : Math.min(1, seconds / duration);
}
