import { join } from "node:path";
import { run } from "../../../packages/server/src/platform/process.ts";

/** A scene without symmetry that moves: test patterns have letters, a clock, and colored corners. */
const scene = (size: string, rate: number, seconds = 1.5) =>
  `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`;

interface VideoSpec {
  name: string;
  /** Device or program, and format. */
  stands: string;
  size?: string;
  rate?: number;
  seconds?: number;
  /** ffmpeg's arguments after the input. */
  encode: string;
  /** Then copied with these arguments. */
  remux?: string;
}

const h264 = "-c:v libx264 -preset ultrafast -crf 12 -pix_fmt yuv420p";
const hevc = "-c:v libx265 -preset ultrafast -x265-params log-level=error:crf=12";
const hdr = (transfer: string) =>
  `-pix_fmt yuv420p10le -color_primaries bt2020 -color_trc ${transfer} -colorspace bt2020nc`;

const specs: VideoSpec[] = [
  { name: "plain.mp4", stands: "Android phone, H.264", encode: h264 },
  ...[90, 180, 270].map((angle) => ({
    name: `turned-${angle}.mov`,
    stands: `iPhone turned by ${angle} degrees, QuickTime`,
    encode: h264,
    remux: `-c copy -metadata:s:v:0 rotate=${angle}`,
  })),
  {
    name: "hlg.mov",
    stands: "iPhone, HEVC in HLG",
    encode: `${hevc} ${hdr("arib-std-b67")} -tag:v hvc1`,
  },
  { name: "pq.mp4", stands: "Samsung, HEVC in HDR10", encode: `${hevc} ${hdr("smpte2084")}` },
  { name: "hevc.mp4", stands: "GoPro, HEVC with 8 bits", encode: `${hevc} -pix_fmt yuv420p` },
  {
    name: "deep.mp4",
    stands: "Sony, H.264 with 10 bits in 4:2:2",
    encode: "-c:v libx264 -preset ultrafast -crf 12 -pix_fmt yuv422p10le",
  },
  {
    name: "full-chroma.mp4",
    stands: "OBS, H.264 in 4:4:4",
    encode: "-c:v libx264 -preset ultrafast -crf 12 -pix_fmt yuv444p",
  },
  {
    name: "full-range.mp4",
    stands: "Android phone, full range",
    encode: `${h264} -vf scale=out_range=full -color_range pc`,
  },
  {
    name: "bt601.mp4",
    stands: "old phone, BT.601 by name",
    encode: `${h264} -vf scale=out_color_matrix=bt601 -colorspace smpte170m -color_primaries smpte170m -color_trc smpte170m`,
  },
  {
    name: "bt709.mp4",
    stands: "camera, BT.709 by name",
    size: "1280x720",
    encode: `${h264} -vf scale=out_color_matrix=bt709 -colorspace bt709 -color_primaries bt709 -color_trc bt709`,
  },
  {
    name: "vfr.mp4",
    stands: "Android screen recording, variable rate",
    encode: `${h264} -vf select='not(between(n,5,12))+eq(mod(n,7),0)' -fps_mode vfr`,
  },
  { name: "slow-motion.mov", stands: "iPhone slow motion, 60 a second", rate: 60, encode: h264 },
  {
    name: "cinema.mp4",
    stands: "camera, 23.976 a second",
    rate: 24,
    encode: `${h264} -r 24000/1001`,
  },
  {
    name: "anamorphic.mp4",
    stands: "HDV camcorder, wide pixels",
    size: "720x540",
    encode: `${h264} -vf setsar=4/3`,
  },
  {
    name: "interlaced.mpg",
    stands: "DVD recorder, interlaced MPEG-2",
    size: "720x576",
    rate: 25,
    encode: "-c:v mpeg2video -q:v 2 -flags +ildct+ilme",
  },
  {
    name: "old.avi",
    stands: "old digital camera, Motion JPEG",
    rate: 15,
    encode: "-c:v mjpeg -q:v 2 -pix_fmt yuvj422p",
  },
  { name: "divx.avi", stands: "DivX, MPEG-4 in AVI", rate: 25, encode: "-c:v mpeg4 -q:v 2" },
  { name: "windows.wmv", stands: "Windows Movie Maker, WMV", rate: 25, encode: "-c:v wmv2 -q:v 2" },
  {
    name: "phone.3gp",
    stands: "old Nokia, H.263 in 3GP",
    size: "176x144",
    rate: 15,
    encode: "-c:v h263 -q:v 2",
  },
  { name: "flash.flv", stands: "web of old, FLV", rate: 25, encode: "-c:v flv -q:v 2" },
  { name: "firefox.ogv", stands: "screencast, Theora", rate: 25, encode: "-c:v libtheora -q:v 10" },
  {
    name: "chrome.webm",
    stands: "MediaRecorder, VP8",
    encode: "-c:v libvpx -deadline realtime -b:v 4M",
  },
  {
    name: "vp9.mkv",
    stands: "YouTube, VP9 in Matroska",
    encode: "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 4M",
  },
  {
    name: "av1.mp4",
    stands: "new Android phone, AV1",
    size: "320x240",
    encode: "-c:v libaom-av1 -cpu-used 8 -crf 20",
  },
  { name: "camcorder.ts", stands: "AVCHD camcorder, MPEG-TS", rate: 25, encode: h264 },
  {
    name: "odd.mp4",
    stands: "cropped screen recording, odd sizes",
    size: "641x361",
    encode: "-c:v libx264 -preset ultrafast -crf 12 -pix_fmt yuv444p",
  },
  { name: "portrait.mp4", stands: "TikTok, portrait", size: "540x960", encode: h264 },
  { name: "short.mp4", stands: "Live Photo, three frames", seconds: 0.1, encode: h264 },
];

/** Makes a video; null if this machine's ffmpeg has no such encoder. */
async function makeVideo(dir: string, spec: VideoSpec): Promise<string | null> {
  const { name, size = "640x360", rate = 30, seconds, encode, remux } = spec;
  const file = join(dir, name);
  const target = remux ? join(dir, `upright-${name}`) : file;
  const words = (text: string) => text.split(" ").filter(Boolean);
  const make = ["-v", "error", "-y", "-f", "lavfi", "-i", scene(size, rate, seconds)];
  const first = await run("ffmpeg", [...make, ...words(encode), target], { timeoutMs: 600_000 });
  if (first.exitCode !== 0) {
    console.error(`${name} can't be made here: ${first.stderr.split("\n")[0]}`);
    return null;
  }
  if (!remux) return file;

  const turn = ["-v", "error", "-y", "-i", target, ...words(remux), file];
  const { exitCode, stderr } = await run("ffmpeg", turn);
  await run("rm", [target]);
  if (exitCode === 0) return file;
  console.error(`${name} can't be made here: ${stderr.split("\n")[0]}`);
  return null;
}

/** Makes the files that stand for videos of strangers' devices; their paths with what they stand for. */
export async function makeVideoFiles(dir: string): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  for (const spec of specs) {
    const file = await makeVideo(dir, spec);
    if (file !== null) made.set(file, spec.stands);
  }
  return made;
}
