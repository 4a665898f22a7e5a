import { run } from "../../../packages/server/src/platform/process.ts";

/** What ffmpeg decodes of a video: times in seconds. */
export interface Decoded {
  width: number;
  height: number;
  /** 16 × 16 pixels of red, green, and blue, the mean of all frames. */
  thumbnail: number[];
  frames: number;
  duration: number;
  isHdr: boolean;
}

const side = 16;

/** Decodes all frames of a video, upright; null if ffmpeg can't. */
export async function decodeVideo(file: string): Promise<Decoded | null> {
  const probe = ["-v", "error", "-select_streams", "v:0", "-show_entries"];
  const entries = "stream=width,height,color_transfer:frame=pts_time";
  const { stdout } = await run("ffprobe", [...probe, entries, "-of", "json", file], {
    timeoutMs: 300_000,
  });
  const { streams = [], frames: list = [] } = JSON.parse(stdout || "{}") as {
    streams?: { width: number; height: number; color_transfer?: string }[];
    frames?: { pts_time?: string }[];
  };
  const [stream] = streams;
  const times = list.map(({ pts_time: time }) => Number(time)).filter(Number.isFinite);
  // Into display size first, as a player shows it.
  const filter = `scale=${side}:${side}:flags=area:in_range=auto:out_range=pc,format=rgb24`;
  const decode = ["-v", "error", "-i", file, "-map", "0:v:0", "-vf", filter, "-fps_mode"];
  const target = `${file}.rgb`;
  const done = await run("ffmpeg", [...decode, "passthrough", "-f", "rawvideo", "-y", target]);
  if (stream === undefined || done.exitCode !== 0) return null;
  const { readFile, rm } = await import("node:fs/promises");
  const data = await readFile(target);
  await rm(target);
  const pixels = side * side * 3;
  const frames = Math.floor(data.length / pixels);
  const thumbnail = Array.from({ length: pixels }, (_value, at) => {
    let sum = 0;
    for (let n = 0; n < frames; n += 1) sum += data[n * pixels + at] ?? 0;
    return sum / frames;
  });
  const duration = Math.max(...times) - Math.min(...times);
  const isHdr = ["smpte2084", "arib-std-b67"].includes(stream.color_transfer ?? "");
  return { width: stream.width, height: stream.height, thumbnail, frames, duration, isHdr };
}
