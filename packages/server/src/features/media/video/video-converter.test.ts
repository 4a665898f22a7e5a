import { once } from "node:events";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { defaultLimits } from "../../../platform/config.ts";
import { nodeBinary, platformRoot } from "../../../platform/paths.ts";
import { processTree } from "../../../platform/process-tree.ts";
import { run } from "../../../platform/process.ts";
import { splitArguments } from "../../../platform/sandbox/command.ts";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import {
  type ConvertedVideo,
  type VideoJob,
  type VideoConverter,
  type VideoConverterDependencies,
  makeVideoConverter,
} from "./video-converter.ts";

// One test may start some fifty programs, which yield to all others: as long as is given end to end.
vi.setConfig({ testTimeout: 180_000 });

const log = pino({ level: "silent" });
const limits = { ...defaultLimits.media, videoSeconds: 30 };

let folder: TempFolder;
let videos: VideoConverter;
let count = 0;

beforeAll(async () => {
  folder = await tempFolder();
  videos = await makeVideos();
});
afterAll(async () => {
  await videos.close();
  await folder.remove();
});

function makeVideos(options: Partial<VideoConverterDependencies> = {}): Promise<VideoConverter> {
  return makeVideoConverter({
    paths: { data: join(folder.path, "data") },
    limits,
    sandbox: "require",
    log,
    clock: systemClock,
    ...options,
  });
}

/** Makes a video with ffmpeg; the arguments come between its inputs and its name. */
async function make(name: string, ...args: string[]): Promise<string> {
  const file = join(folder.path, name);
  const { exitCode, stderr } = await run("ffmpeg", ["-v", "error", "-y", ...args, file]);
  expect(stderr.replaceAll(/^x265.*\n/gm, "")).toBe("");
  expect(exitCode).toBe(0);
  return file;
}

/** The ffmpeg input arguments of a moving test pattern. */
function image(size: string, seconds = 1, rate: string | number = 25): string[] {
  return ["-f", "lavfi", "-i", `testsrc2=s=${size}:r=${rate}:d=${seconds}`];
}

const h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];

interface Result extends ConvertedVideo {
  outDir: string;
}

/** What conversions under way, or forgotten, have on the disk. */
function workFolders(): Promise<string[]> {
  return readdir(join(folder.path, "data/films")).catch(() => []);
}

/** Converts into a new folder. A failure must leave nothing there nor of its work. */
async function convert(
  file: string,
  extra: Partial<VideoJob> = {},
  by: VideoConverter = videos,
): Promise<Result> {
  count += 1;
  const outDir = join(folder.path, `out-${count}`);
  await mkdir(outDir);
  try {
    return { ...(await by.convert({ file, outDir, stem: "film", ...extra })), outDir };
  } catch (error) {
    const left = [...(await readdir(outDir)), ...(await workFolders())];
    if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`, { cause: error });
    throw error;
  }
}

/** What a refusal says: its status and reason, or its code where it gives no reason. */
async function refusal(result: Promise<unknown>): Promise<[number, string]> {
  const error = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  const { status, code, details } = error as AppError;
  return [status, (details as { reason?: string } | undefined)?.reason ?? code];
}

interface Stream {
  codec_type: string;
  codec_name: string;
  pix_fmt: string;
  width: number;
  height: number;
  sample_aspect_ratio: string;
  color_range: string;
  color_space: string;
  color_transfer: string;
  color_primaries: string;
  nb_read_packets: string;
  start_time: string;
  tags: Record<string, string>;
  side_data_list?: unknown[];
}

interface Probed {
  streams: Stream[];
  chapters: unknown[];
  format: { duration: string; tags: Record<string, string> };
}

async function check(file: string): Promise<Probed> {
  const what = ["-count_packets", "-show_streams", "-show_format", "-show_chapters"];
  const { stdout } = await run("ffprobe", ["-v", "error", "-of", "json", ...what, file]);
  return JSON.parse(stdout) as Probed;
}

/** Puts a box at the end of the description of an MP4's only track; its index has to be at its end. */
function insertBox(mp4: Buffer, box: Buffer): Buffer {
  const path = ["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"];
  const result = Buffer.from(mp4);
  let at = result.lastIndexOf("moov", undefined, "latin1") - 4;
  for (const name of path) {
    at = result.indexOf(name, at, "latin1") - 4;
    result.writeUInt32BE(result.readUInt32BE(at) + box.length, at);
  }
  const end = at + result.readUInt32BE(at) - box.length;
  return Buffer.concat([result.subarray(0, end), box, result.subarray(end)]);
}

function videoOf(result: Result): Promise<Stream> {
  return check(join(result.outDir, result.file)).then(({ streams }) => streams[0] as Stream);
}

/** Mean color of the poster: red, green and blue, 0 to 255. */
async function posterColor(result: Result): Promise<number[]> {
  const { channels } = await sharp(join(result.outDir, result.poster)).stats();
  return channels.map(({ mean }) => mean);
}

/** Color levels that a lossy codec may miss by six. */
function near(...levels: number[]): unknown[] {
  return levels.map((level) => expect.closeTo(level, -1.1));
}

/** Finds a box's name in a file and gives where its content begins. */
function boxAt(data: Buffer, name: string): number {
  const at = data.indexOf(name, 0, "latin1");
  expect(at).toBeGreaterThan(0);
  return at + 4;
}

/** A copy of an MP4 whose headers claim another duration. */
async function claiming(file: string, seconds: number): Promise<string> {
  const data = await readFile(file);
  const scale = data.readUInt32BE(boxAt(data, "mvhd") + 12);
  data.writeUInt32BE(seconds * scale, boxAt(data, "mvhd") + 16);
  data.writeUInt32BE(seconds * scale, boxAt(data, "tkhd") + 20);
  const mdhd = boxAt(data, "mdhd");
  data.writeUInt32BE(seconds * data.readUInt32BE(mdhd + 12), mdhd + 16);
  const claimed = file.replace(".mp4", "-claims.mp4");
  await writeFile(claimed, data);
  return claimed;
}

describe("a video", () => {
  test("abuse 59: becomes H.264 in MP4 that starts at once, without sound, metadata and chapters", async () => {
    const chapters = join(folder.path, "chapters.txt");
    await writeFile(
      chapters,
      ";FFMETADATA1\ntitle=Secret\nlocation=+51.5-000.1/\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=One\n",
    );
    const videoFile = await make(
      "everything.mov",
      ...image("320x240", 2),
      ...splitArguments("-f lavfi -i sine=d=2 -i"),
      chapters,
      ...splitArguments("-map_metadata 2 -map 0 -map 1 -c:a aac -timecode 01:00:00:00"),
      ...h264,
    );
    expect((await check(videoFile)).streams.map(({ codec_type }) => codec_type)).toContain("audio");
    const result = await convert(videoFile);
    const { streams, chapters: retained, format } = await check(join(result.outDir, result.file));
    expect(streams.map(({ codec_type }) => codec_type)).toEqual(["video"]);
    expect(retained).toEqual([]);
    expect(Object.keys(format.tags).toSorted()).toEqual([
      "compatible_brands",
      "major_brand",
      "minor_version",
    ]);
    expect(streams[0]).toMatchObject({
      codec_name: "h264",
      pix_fmt: "yuv420p",
      color_range: "tv",
      color_space: "bt709",
      color_transfer: "bt709",
      color_primaries: "bt709",
      nb_read_packets: "50",
    });
    const bytes = await readFile(join(result.outDir, result.file));
    expect(bytes.indexOf("moov")).toBeLessThan(bytes.indexOf("mdat"));
    expect(bytes.includes("Secret") || bytes.includes("+51.5")).toBe(false);
    expect(result).toMatchObject({
      file: "film.mp4",
      poster: "film-poster.jpg",
      mime: "video/mp4",
      width: 320,
      height: 240,
      duration: 2,
      bytes: bytes.length,
    });
    const jpeg = await sharp(join(result.outDir, result.poster)).metadata();
    expect(jpeg).toMatchObject({ format: "jpeg", width: 320, height: 240 });
    expect([jpeg.exif, jpeg.icc, jpeg.comments]).toEqual([undefined, undefined, undefined]);
    const { mode, uid } = await stat(join(result.outDir, result.file));
    expect([mode & 0o777, uid]).toEqual([0o644, process.getuid?.()]);
  });

  test("abuse 59: carries no closed captions", async () => {
    const raw = await make("raw.h264", ...image("160x120", 0.4), ...h264);
    const stream = await readFile(raw);
    const keyframe = stream.indexOf(Buffer.from([0, 0, 1, 0x65]));
    // A message of captions (ATSC A/53) before the first frame.
    const start = Buffer.from([0, 0, 1, 6, 4, 17, 0xb5, 0, 0x31]);
    const captions = Buffer.from([3, 0xc2, 0xff, 0xfc, 0x94, 0x2c, 0xfc, 0x48, 0x49, 0xff, 0x80]);
    const message = Buffer.concat([start, Buffer.from("GA94"), captions]);
    await writeFile(
      raw,
      Buffer.concat([stream.subarray(0, keyframe), message, stream.subarray(keyframe)]),
    );
    const captioned = await make("captioned.mp4", "-i", raw, "-c", "copy");
    expect((await readFile(captioned)).includes("GA94")).toBe(true);
    const result = await convert(captioned);
    expect((await readFile(join(result.outDir, result.file))).includes("GA94")).toBe(false);
  });

  test("is stored as it is shown: turned, with square pixels, inside 1280×720 or 720×1280, even, never enlarged", async () => {
    const small = await make("small.mp4", ...image("320x240"), ...h264);
    const turned = ["-i", small, "-c", "copy", "-metadata:s:v", "rotate=90"];
    const dv = ["-vf", "setsar=16/15", ...h264];
    const sizes: [string, string[], [number, number]][] = [
      ["small.mp4", [...image("320x240"), ...h264], [320, 240]],
      ["turned.mp4", turned, [240, 320]],
      ["anamorphic.mp4", [...image("720x576"), ...dv], [768, 576]],
      ["large.mp4", [...image("1920x1080", 0.2), ...h264], [1280, 720]],
      ["upright.mp4", [...image("1080x1920", 0.2), ...h264], [720, 1280]],
      ["square.mkv", [...image("1081x1081", 0.2), "-c:v", "mpeg4"], [720, 720]],
      ["odd.mkv", [...image("321x241", 0.2), "-c:v", "ffv1"], [320, 240]],
      ["thin.mkv", [...image("4000x4", 0.2), "-c:v", "ffv1"], [1280, 2]],
    ];
    for (const [name, args, [width, height]] of sizes) {
      const result = await convert(await make(name, ...args));
      expect([name, result.width, result.height]).toEqual([name, width, height]);
      const video = await videoOf(result);
      expect(video).toMatchObject({ width, height, sample_aspect_ratio: "1:1" });
      expect(video.side_data_list ?? []).toEqual([]);
      const poster = await sharp(join(result.outDir, result.poster)).metadata();
      expect([poster.width, poster.height]).toEqual([width, height]);
    }
  });

  test("is turned, whatever else its container says about it", async () => {
    const small = await make("level.mp4", ...image("320x240", 0.4), ...h264);
    const turned = await make(
      "turned-too.mp4",
      ...splitArguments(`-i ${small} -c copy -metadata:s:v rotate=90`),
    );
    // Dolby Vision's configuration (profile 8.4), as phones write it.
    const box = Buffer.alloc(32);
    box.writeUInt32BE(32, 0);
    box.write("dvvC", 4, "latin1");
    box.set([1, 0, 0x10, 0x25, 0x40], 8);
    const phone = join(folder.path, "phone.mp4");
    await writeFile(phone, insertBox(await readFile(turned), box));
    const { streams } = await check(phone);
    expect(streams[0]?.side_data_list).toHaveLength(2);
    const result = await convert(phone);
    expect([result.width, result.height]).toEqual([240, 320]);
  });

  test("comes in every container that is taken", async () => {
    const names = ["a.mp4", "a.mov", "a.3gp", "a.mkv", "a.ts", "a.flv"];
    const named: [string, string[]][] = [
      ...names.map((name): [string, string[]] => [name, h264]),
      ["a.webm", ["-c:v", "libvpx", "-deadline", "realtime"]],
      ["a.avi", ["-c:v", "mpeg4"]],
      ["a.mpg", ["-c:v", "mpeg2video"]],
      ["a.wmv", ["-c:v", "wmv2"]],
      ["a.ogv", ["-c:v", "libtheora"]],
    ];
    for (const [name, codec] of named) {
      const result = await convert(await make(name, ...image("160x120"), ...codec));
      expect([name, result.width]).toEqual([name, 160]);
      expect(result.duration).toBeCloseTo(1, 1);
    }
  });

  test("keeps every frame of a recording that stands still and moves in turn, at its time", async () => {
    // Four frames 17 and 23 ms apart, then nothing for a second, and again.
    const expression = "(floor(N/4)+0.017*mod(N,4)+0.006*gt(mod(N,4),2))/TB";
    const bursts = ["-vf", `settb=1/90000,setpts='${expression}'`, "-fps_mode", "passthrough"];
    const exact = splitArguments("-enc_time_base 1:90000 -video_track_timescale 90000");
    const source = await make(
      "bursts.mp4",
      ...image("160x120", 2, 20),
      ...bursts,
      ...exact,
      ...h264,
    );
    const result = await convert(source);
    const times = async (file: string) => {
      const fields = ["-show_entries", "packet=pts_time", "-of", "csv=p=0"];
      const { stdout } = await run("ffprobe", ["-v", "error", ...fields, file]);
      return stdout
        .trim()
        .split(/,?\n/)
        .map(Number)
        .toSorted((a, b) => a - b);
    };
    const expected = await times(source);
    const stored = await times(join(result.outDir, result.file));
    expect([expected.length, stored.length]).toEqual([40, 40]);
    for (const [at, time] of stored.entries()) expect(time).toBeCloseTo(expected[at] ?? -1, 2);
  });

  test("keeps variable frame times, and 60 frames of more a second", async () => {
    const uneven = ["-vf", "select='not(mod(n,7))'", "-fps_mode", "vfr", ...h264];
    const variable = await convert(await make("vfr.mp4", ...image("160x120", 2), ...uneven));
    expect((await videoOf(variable)).nb_read_packets).toBe("8");
    const fast = await convert(await make("fast.mp4", ...image("160x120", 1, 120), ...h264));
    expect(Number((await videoOf(fast)).nb_read_packets)).toBeLessThan(63);
    expect(fast.duration).toBeCloseTo(1, 1);
  });

  test("that starts after its sound starts at 0", async () => {
    const videoFile = await make(
      "late.mkv",
      ...splitArguments("-f lavfi -i sine=d=3 -itsoffset 1.5"),
      ...image("160x120", 1),
      ...splitArguments("-map 0 -map 1 -c:a aac"),
      ...h264,
    );
    const result = await convert(videoFile);
    expect(Number((await videoOf(result)).start_time)).toBe(0);
    expect(result.duration).toBeCloseTo(1, 1);
  });

  test("in HDR comes out in the colors of SDR, also when it names only its brightness curve", async () => {
    const gray = ["-f", "lavfi", "-i", "color=0x949494:s=160x120:r=25:d=0.4"];
    // 58 % of PQ is 203 cd/m², the white of SDR; 50 % of HLG is about half of it.
    const colors: [string, string, number][] = [
      ["pq.mp4", "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc", 235],
      ["hlg.mkv", "transfer=arib-std-b67", 150],
    ];
    for (const [name, x265, level] of colors) {
      const codec = ["-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast"];
      const params = ["-x265-params", `log-level=none:${x265}`];
      const result = await convert(await make(name, ...gray, ...codec, ...params));
      expect(await videoOf(result)).toMatchObject({ pix_fmt: "yuv420p", color_transfer: "bt709" });
      const [red = 0, green = 0, blue = 0] = await posterColor(result);
      expect([name, Math.round(green)]).toEqual([name, expect.closeTo(level, -1.7)]);
      expect(Math.max(red, green, blue) - Math.min(red, green, blue)).toBeLessThan(6);
    }
  });

  test("in Display P3 keeps its colors, which are beyond BT.709", async () => {
    // By BT.1886, light of (200, 50, 50) in P3 is this in BT.709, which hasn't all of its red.
    const red = ["-f", "lavfi", "-i", "color=0xc83232:s=160x120:r=25:d=0.4"];
    const scale = ["-vf", "scale=out_color_matrix=bt709:out_range=tv", ...h264];
    const tags = splitArguments("-color_primaries smpte432 -color_trc bt709");
    for (const matrix of [["-colorspace", "bt709"], []]) {
      const name = `p3-${matrix.length}.mp4`;
      const result = await convert(await make(name, ...red, ...scale, ...tags, ...matrix));
      expect(await posterColor(result)).toEqual(near(214, 0, 32));
    }
  });

  test("in BT.601 or full range keeps its colors", async () => {
    const orange = ["-f", "lavfi", "-i", "color=0xe08030:s=160x120:r=25:d=0.4"];
    const full = ["-vf", "scale=out_range=pc:out_color_matrix=bt709", "-pix_fmt", "yuvj420p"];
    const kinds: [string, string[]][] = [
      ["sd.avi", ["-c:v", "mpeg4"]],
      ["full.mp4", [...full, "-c:v", "libx264", "-color_range", "pc", "-colorspace", "bt709"]],
      ["rgb.avi", ["-c:v", "rawvideo", "-pix_fmt", "bgr24"]],
    ];
    for (const [name, args] of kinds) {
      expect(await posterColor(await convert(await make(name, ...orange, ...args)))).toEqual(
        near(224, 128, 48),
      );
    }
  });

  test("that is transparent is laid on black", async () => {
    const half = ["-vf", "format=yuva420p,colorchannelmixer=aa=0.5"];
    const red = ["-f", "lavfi", "-i", "color=red:s=160x120:r=25:d=0.4"];
    const vp9 = ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"];
    for (const [name, codec] of [
      ["alpha.webm", vp9],
      ["alpha.mov", ["-c:v", "qtrle", "-pix_fmt", "argb"]],
    ] as const) {
      const result = await convert(await make(name, ...red, ...half, ...codec));
      expect(await posterColor(result)).toEqual(near(126, 0, 0));
    }
  });

  test("that is interlaced is made whole frames", async () => {
    const fields = ["-vf", "interlace,setfield=tff", "-c:v", "mpeg2video", "-flags", "+ilme+ildct"];
    const result = await convert(await make("fields.ts", ...image("320x240", 1, 50), ...fields));
    expect((await videoOf(result)).nb_read_packets).toBe("25");
  });

  test("shows its first second on the poster, or its middle when it is shorter", async () => {
    const red = "color=red:s=160x120:r=25:d=0.9";
    const blue = "color=blue:s=160x120:r=25";
    const join2 = (seconds: number) => [
      ...splitArguments(`-f lavfi -i ${red} -f lavfi -i ${blue}:d=${seconds}`),
      ...splitArguments("-filter_complex concat=n=2:v=1"),
      ...h264,
    ];
    expect(await posterColor(await convert(await make("at1.mp4", ...join2(1))))).toEqual(
      near(0, 0, 254),
    );
    const short = await make("short.mp4", "-f", "lavfi", "-i", red, ...h264);
    expect(await posterColor(await convert(short))).toEqual(near(254, 0, 0));
    const single = await make("single.mp4", ...image("160x120"), ...h264, "-frames:v", "1");
    expect((await convert(single)).width).toBe(160);
  });

  test("says how far it is", async () => {
    const heard: (number | null)[] = [];
    const videoFile = await make("long.mp4", ...image("640x360", 12), ...h264);
    await convert(videoFile, { onProgress: (fraction) => heard.push(fraction) });
    expect(heard.length).toBeGreaterThan(1);
    expect(heard.at(-1)).toBe(1);
    expect(heard).toEqual(heard.toSorted((a, b) => (a ?? -1) - (b ?? -1)));
  });

  test("abuse 56: has any name: it never reaches a command line as a word of its own", async () => {
    const videoFile = await make("plain.mp4", ...image("160x120", 0.4), ...h264);
    const bytes = await readFile(videoFile);
    const bare = await makeVideos({ sandbox: "off" });
    for (const by of [videos, bare]) {
      for (const name of ["-i", "concat:a|b", "%d.mp4", "a|b,c:d [x].mp4", "-f lavfi", "http:x"]) {
        const file = join(folder.path, name);
        await writeFile(file, bytes);
        expect([name, (await convert(file, {}, by)).width]).toEqual([name, 160]);
      }
    }
    await bare.close();
  });
});

describe("a video that is refused", () => {
  test("has no video track: sound, with or without a cover image", async () => {
    const sound = await make("sound.m4a", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac");
    const picked = await make("cover.jpg", ...image("100x100"), "-frames:v", "1");
    const tracks = ["-map", "0", "-map", "1", "-c", "copy", "-disposition:v", "attached_pic"];
    const album = await make("album.m4a", "-i", sound, "-i", picked, ...tracks);
    for (const file of [sound, album]) {
      expect(await refusal(convert(file))).toEqual([422, "no_video_track"]);
    }
  });

  test("is encrypted", async () => {
    const key = ["-encryption_key", "76a6c65c5ea762046bd749a2e632ccbb"];
    const kid = ["-encryption_kid", "a7e61c373e219033c21091fa607bf3b8"];
    const scheme = ["-encryption_scheme", "cenc-aes-ctr", ...key, ...kid];
    const videoFile = await make("encrypted.mp4", ...image("160x120"), ...h264, ...scheme);
    expect(await refusal(convert(videoFile))).toEqual([422, "encrypted"]);
  });

  test("can't be decoded, from the beginning or after a few frames", async () => {
    const videoFile = await make("noise.mp4", ...image("160x120", 2), ...h264, "-g", "50");
    const bytes = await readFile(videoFile);
    const from = bytes.indexOf("mdat") + 4;
    const garbled = Buffer.from(bytes);
    for (let i = from + 3000; i < garbled.length - 3000; i += 1) garbled[i] = (i * 7919) % 251;
    const file = join(folder.path, "garbled.mp4");
    await writeFile(file, garbled);
    const [status, reason] = await refusal(convert(file));
    expect([status, ["undecodable", "corrupt"].includes(reason)]).toEqual([422, true]);
  });

  test("abuse 57: lasts ten hours, is huge, or is cut off", async () => {
    const hours = await make("hours.mp4", ...image("160x120", 36_000, "1/9000"), ...h264);
    expect(await refusal(convert(hours))).toEqual([422, "duration_exceeded"]);
    const wide = await make("wide.mp4", ...image("4200x64", 0.2), ...h264);
    expect(await refusal(convert(wide))).toEqual([422, "too_many_pixels"]);
    const faststart = ["-movflags", "+faststart"];
    for (const [name, args] of [
      ["whole.mp4", h264],
      ["fast.mp4", [...h264, ...faststart]],
      ["parts.mp4", [...h264, "-g", "10", "-movflags", "frag_keyframe+empty_moov"]],
      ["whole.mkv", h264],
    ] as const) {
      const bytes = await readFile(await make(name, ...image("320x240", 2), ...args));
      for (const share of [0.1, 0.5, 0.9]) {
        const cut = join(folder.path, `cut-${name}`);
        await writeFile(cut, bytes.subarray(0, Math.floor(bytes.length * share)));
        expect([name, share, ...(await refusal(convert(cut)))]).toEqual([
          name,
          share,
          422,
          "corrupt",
        ]);
      }
    }
  });

  test("abuse 57: whatever duration its container claims, its packets are believed", async () => {
    const edits = ["-use_editlist", "0"];
    const short = await make("short2.mp4", ...image("160x120", 2), ...h264, ...edits);
    const result = await convert(await claiming(short, 36_000));
    expect(result.duration).toBeCloseTo(2, 1);
    const long = await make("long2.mp4", ...image("160x120", 60, 1), ...h264, ...edits);
    expect(await refusal(convert(await claiming(long, 1)))).toEqual([422, "duration_exceeded"]);
  });

  test("is a folder, a link or nothing", async () => {
    const videoFile = await make("there.mp4", ...image("160x120", 0.4), ...h264);
    const link = join(folder.path, "link.mp4");
    await symlink(videoFile, link);
    await expect(convert(link)).rejects.toThrow(/ELOOP/);
    expect(await refusal(convert(folder.path))).toEqual([415, "unsupported_media_type"]);
    await expect(convert(join(folder.path, "none.mp4"))).rejects.toThrow(/ENOENT/);
  });
});

describe("abuse 55: a list of other places named .mp4", () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let lists: Record<string, string>;
  let canary: string;

  beforeAll(async () => {
    await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/canary-film.ts`;
    canary = join(folder.path, "canary-film.ts");
    await make("canary-film.ts", ...image("160x120", 0.4), ...h264);
    const hls = (target: string) =>
      `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\n${target}\n#EXT-X-ENDLIST\n`;
    lists = {
      "hls-net": hls(url),
      "hls-file": hls(canary),
      "hls-nested": hls(`concat:${canary}|${canary}`),
      concat: `ffconcat version 1.0\nfile '${canary}'\nfile '${url}'\n`,
      dash: `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1000"><BaseURL>${url}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
      sdp: `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
      lavfi: `movie=${canary}`,
      imf: `<?xml version="1.0"?><CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"></CompositionPlaylist>`,
      subfile: `subfile,,start,0,end,100,,:${canary}`,
    };
    for (const [name, text] of Object.entries(lists)) {
      await writeFile(join(folder.path, `${name}.mp4`), text);
    }
    await make("picture.jpg", ...image("64x64"), "-frames:v", "1");
    await writeFile(
      join(folder.path, "picture.mp4"),
      await readFile(join(folder.path, "picture.jpg")),
    );
  });
  afterAll(() => void server.close());

  test("is no video: 415", async () => {
    for (const name of [...Object.keys(lists), "picture"]) {
      const file = join(folder.path, `${name}.mp4`);
      expect([name, ...(await refusal(convert(file)))]).toEqual([
        name,
        415,
        "unsupported_media_type",
      ]);
    }
    expect(connections).toBe(0);
  });

  /** Has ffprobe read a real video and each list as two containers, past the look at their first bytes. */
  const script = (tier: string) => `
import { openVideoSandbox } from ${JSON.stringify(join(platformRoot, "packages/server/src/features/media/video/sandbox.ts"))};
import { probeVideo } from ${JSON.stringify(join(platformRoot, "packages/server/src/features/media/video/probe.ts"))};
const { sandbox } = await openVideoSandbox(${JSON.stringify(tier)}, {});
const results = [];
for (const file of process.argv.slice(2)) {
  for (const container of ["mov", "mpegts"]) {
    const film = { file, container, signal: new AbortController().signal };
    await probeVideo(sandbox, film, { maxSeconds: 9, maxEdge: 4096, cpuMs: 15000, silenceMs: 15000 }).then(
      () => results.push("read " + container),
      (error) => results.push(String(error.status)),
    );
  }
}
console.log(JSON.stringify(results));
`;

  test.each(["require", "off"])(
    "opens no file and makes no connection, whatever demuxer reads it (strace, sandbox %s)",
    async (tier) => {
      const file = join(folder.path, `strace-${tier}.ts`);
      const trace = join(folder.path, `strace-${tier}.log`);
      await writeFile(file, script(tier));
      const real = await make("real.mp4", ...image("64x64", 0.2), ...h264);
      const inputs = Object.keys(lists).map((name) => join(folder.path, `${name}.mp4`));
      for (const input of [real, ...inputs]) await chmod(input, 0o644);
      const calls = "trace=open,openat,openat2,socket,connect,stat,newfstatat,statx,access";
      const traced = ["-f", "-qq", "-e", calls, "-o", trace, nodeBinary, file, real, ...inputs];
      const { stdout, stderr } = await run("strace", traced, { timeoutMs: 120_000 });
      expect(stderr).toBe("");
      const results = JSON.parse(stdout) as string[];
      expect(results[0]).toBe("read mov");
      expect(results.slice(1).filter((result) => !/^4(15|22)$/.test(result))).toEqual([]);
      const lines = (await readFile(trace, "utf8")).split("\n");
      const input = tier === "off" ? `"${inputs[0]}"` : '"/in"';
      expect(lines.some((line) => line.includes("openat(") && line.includes(input))).toBe(true);
      expect(lines.filter((line) => line.includes("canary"))).toEqual([]);
      expect(lines.filter((line) => /AF_INET|AF_PACKET/.test(line))).toEqual([]);
      expect(connections).toBe(0);
    },
  );
});

describe("abuse 58: an encoder that hangs", () => {
  let videoFile: string;
  let fake: string;
  let hung: VideoConverter | undefined;

  beforeAll(async () => {
    videoFile = await make("ok.mp4", ...image("160x120", 0.4), ...h264);
    fake = join(folder.path, "fake");
    await mkdir(fake);
    await symlink("/usr/bin/ffprobe", join(fake, "ffprobe"));
    const script = `#!/bin/sh
case "$*" in *-version*) exit 0;; esac
(/bin/sh -c 'kill -STOP $$') &
(trap '' TERM HUP INT; /bin/sh -c 'trap "" TERM; while :; do read x < /dev/zero; done') &
echo frame=1; echo out_time_us=1000; echo progress=continue
kill -STOP $$
`;
    await writeFile(join(fake, "ffmpeg"), script, { mode: 0o755 });
  });
  afterEach(async () => {
    await hung?.close();
    hung = undefined;
  });

  function makeHung(options: Partial<VideoConverterDependencies>): Promise<VideoConverter> {
    return makeVideos({
      paths: { data: join(folder.path, "hung") },
      tools: { searchPath: fake, libraries: ["/bin/sh"] },
      timeouts: { silence: 4 },
      ...options,
    });
  }

  const own = async () => processTree(process.pid).filter((pid) => pid !== process.pid);

  test.each(["require", "off"] as const)(
    "is stopped with all it started, and the place is free (sandbox %s)",
    async (sandbox) => {
      hung = await makeHung({ sandbox });
      const before = await own();
      let max = 0;
      const onProgress = async () => {
        max = Math.max(max, (await own()).length - before.length);
      };
      const first = convert(videoFile, { onProgress: () => void onProgress() }, hung);
      const aborting = new AbortController();
      const reason = new Error("its turn has come");
      const next = { signal: aborting.signal, onProgress: () => aborting.abort(reason) };
      const ends = await Promise.allSettled([refusal(first), convert(videoFile, next, hung)]);
      expect(ends).toEqual([
        { status: "fulfilled", value: [422, "timeout"] },
        { status: "rejected", reason },
      ]);
      expect(max).toBeGreaterThan(2);
      expect(await readdir(join(folder.path, "hung/films"))).toEqual([]);
      await eventually(async () => expect(await own()).toEqual(before));
    },
  );

  /** A converter with another program in ffmpeg's place, in a folder of that name. */
  async function makeWith(name: string, script: string, timeouts: object): Promise<VideoConverter> {
    const place = join(folder.path, name);
    await mkdir(place);
    await symlink("/usr/bin/ffprobe", join(place, "ffprobe"));
    const start = `#!/bin/sh\ncase "$*" in *-version*) exit 0;; esac\n`;
    await writeFile(join(place, "ffmpeg"), start + script, { mode: 0o755 });
    return makeHung({
      sandbox: "off",
      tools: { searchPath: place, libraries: ["/bin/sh"] },
      timeouts,
    });
  }

  test("is stopped when it has used up its processor time, whatever it prints", async () => {
    const script = "while :; do echo frame=1; echo progress=continue; done\n";
    hung = await makeWith("spins", script, { convert: 1, convertPerSecond: 0, silence: 60 });
    expect(await refusal(convert(videoFile, {}, hung))).toEqual([422, "timeout"]);
  });

  test("that is slow because the machine is busy goes on as long as it gets on", async () => {
    const busy = "for n in 1 2 3 4 5; do echo progress=continue; /bin/sleep 0.5; done\n";
    const script = `${busy}exec /usr/bin/ffmpeg "$@"\n`;
    hung = await makeWith("slow", script, { convert: 2, convertPerSecond: 0, silence: 2 });
    expect((await convert(videoFile, {}, hung)).width).toBe(160);
  });

  test("is stopped when nobody wants the video any more, or the server closes", async () => {
    hung = await makeHung({ timeouts: { silence: 60 } });
    const aborting = new AbortController();
    const reason = new Error("gone");
    const job = { signal: aborting.signal, onProgress: () => aborting.abort(reason) };
    await expect(convert(videoFile, job, hung)).rejects.toBe(reason);
    expect(await own()).toEqual([]);
    const closing = hung;
    const left = convert(videoFile, { onProgress: () => void closing.close() }, closing);
    expect(await refusal(left)).toEqual([503, "unavailable"]);
    expect(await own()).toEqual([]);
    expect(await refusal(convert(videoFile, {}, closing))).toEqual([503, "unavailable"]);
  });

  test("lets as many wait as there is room for", async () => {
    hung = await makeHung({ timeouts: { silence: 60 }, limits: { ...limits, queue: 1 } });
    const aborting = new AbortController();
    const { signal } = aborting;
    const maker = hung;
    const all = [1, 2, 3].map(() => convert(videoFile, { signal }, maker));
    // Whichever of the three came last.
    await expect(Promise.race(all)).rejects.toMatchObject({
      code: "unavailable",
      headers: { "retry-after": expect.stringMatching(/^\d+$/) },
    });
    const reason = new Error("enough");
    aborting.abort(reason);
    const ends = await Promise.allSettled(all);
    expect(ends.filter((end) => end.status === "rejected" && end.reason === reason)).toHaveLength(
      2,
    );
  });

  /** Whether a process is there and no zombie that nobody has asked for yet. */
  function runs(pid: number): boolean {
    try {
      const line = readFileSync(`/proc/${pid}/stat`, "latin1");
      return line.slice(line.lastIndexOf(")") + 2, line.lastIndexOf(")") + 3) !== "Z";
    } catch {
      return false;
    }
  }

  test("leaves no trace when the whole server is killed", async () => {
    const file = join(folder.path, "server.ts");
    await writeFile(
      file,
      `import { makeVideoConverter } from ${JSON.stringify(join(platformRoot, "packages/server/src/features/media/video/video-converter.ts"))};
const [, , data, film, fake] = process.argv;
const log = { warn() {} };
const clock = { now: Date.now, monotonic: () => performance.now() };
const limits = ${JSON.stringify(limits)};
const films = await makeVideoConverter({ paths: { data }, limits, sandbox: "require", log, clock, tools: { searchPath: fake, libraries: ["/bin/sh"] } });
await films.convert({ file: film, outDir: data, stem: "x", onProgress: () => console.log("hangs") });
`,
    );
    const data = join(folder.path, "killed");
    await mkdir(data);
    const server = spawn(nodeBinary, [file, data, videoFile, fake], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const chunk of server.stdout) if (`${chunk}`.includes("hangs")) break;
    const tree = processTree(server.pid ?? 0);
    expect(tree.length).toBeGreaterThan(4);
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    // Until then, its ID is still that of a process.
    await ended;
    await eventually(() => expect(tree.filter(runs)).toEqual([]));
    expect(await readdir(join(data, "films"))).toHaveLength(1);
    const next = await makeVideos({ paths: { data } });
    expect(await readdir(join(data, "films"))).toEqual([]);
    await next.close();
  });
});

describe("without ffmpeg", () => {
  test("videos are unavailable and the answer says what to install; installing it takes no restart", async () => {
    const searchPath = join(folder.path, "path");
    await mkdir(searchPath);
    const maker = await makeVideos({ tools: { searchPath } });
    const reason = "Video needs ffmpeg: apt-get install ffmpeg";
    expect(maker.state).toEqual({ available: false, reason });
    const videoFile = await make("waits.mp4", ...image("160x120", 0.4), ...h264);
    await expect(convert(videoFile, {}, maker)).rejects.toMatchObject({
      code: "unavailable",
      status: 503,
      message: reason,
    });
    for (const name of ["ffmpeg", "ffprobe"])
      await symlink(`/usr/bin/${name}`, join(searchPath, name));
    expect((await convert(videoFile, {}, maker)).width).toBe(160);
    expect(maker.state).toEqual({ available: true, tier: "bubblewrap" });
    await maker.close();
  });

  test("a sandbox that is switched off is a tier of its own", async () => {
    const maker = await makeVideos({ sandbox: "off" });
    expect(maker.state).toEqual({ available: true, tier: "prlimit" });
    const videoFile = await make("off.mp4", ...image("160x120", 0.4), ...h264);
    expect((await convert(videoFile, {}, maker)).width).toBe(160);
    await maker.close();
  });
});
