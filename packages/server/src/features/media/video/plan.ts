import { splitArguments } from "../../../platform/sandbox/command.ts";
import { type VideoMetadata, inputArguments } from "./probe.ts";

export interface Size {
  width: number;
  height: number;
}

/** How a video is converted: its size and ffmpeg's arguments. */
export interface VideoPlan {
  size: Size;
  arguments(paths: { input: string; output: string }): string[];
}

/** Names of the two files in the output folder. */
export const videoName = "film.mp4";
export const posterName = "poster.jpg";

const longEdge = 1280;
const shortEdge = 720;
export const maxFrameRate = 60;
/** A rate up to this much above the maximum is one of inexact times. */
const rateTolerance = 1.01;
const posterSecond = 1;
/** Quality for ffmpeg's JPEG encoder; similar to 82 in libjpeg. */
const posterQuality = "3";

function even(pixels: number): number {
  return Math.max(2, Math.floor(pixels / 2) * 2);
}

/**
 * The stored size: as displayed (rotated, with square pixels), within 1280×720 or, if it is higher
 * than wide, 720×1280, never enlarged, both sides even.
 */
export function storedSize(
  metadata: Pick<VideoMetadata, "width" | "height" | "pixelAspect" | "isRotated">,
): Size {
  const across = metadata.width * metadata.pixelAspect;
  const [width, height] = metadata.isRotated
    ? [metadata.height, across]
    : [across, metadata.height];
  const [maxWidth, maxHeight] = height > width ? [shortEdge, longEdge] : [longEdge, shortEdge];
  const scale = Math.min(1, maxWidth / width, maxHeight / height);
  // A rounding error must not cost two pixels.
  return { width: even(width * scale + 0.01), height: even(height * scale + 0.01) };
}

/**
 * The color matrix for ffmpeg's scaler; if a video doesn't specify it, it is guessed from the size.
 */
function scalerMatrix({ matrix, width, height }: VideoMetadata): string {
  if (matrix === "bt2020nc" || matrix === "bt2020c") return "bt2020";
  if (matrix === "smpte240m" || matrix === "fcc" || matrix === "bt709") return matrix;
  if (matrix === "bt470bg" || matrix === "smpte170m") return matrix;
  return width >= longEdge || height > 576 ? "bt709" : "smpte170m";
}

/** Primaries beyond those of BT.709: BT.2020, and P3 of displays and cinemas. */
const widePrimaries: ReadonlySet<string | null> = new Set(["bt2020", "smpte431", "smpte432"]);
const highDynamicRange = new Set(["smpte2084", "arib-std-b67"]);

/** Converts wide color to BT.709; brightness above 203 cd/m² (BT.2408's white) is compressed. */
function wideColorFilters({ matrix, primaries, transfer }: VideoMetadata): string[] {
  const isHdr = transfer !== null && highDynamicRange.has(transfer);
  if (!isHdr && !widePrimaries.has(primaries)) return [];
  const usualMatrix = isHdr || primaries === "bt2020" ? "bt2020nc" : "bt709";
  const input =
    `setparams=colorspace=${matrix ?? usualMatrix}:color_primaries=${primaries ?? "bt2020"}` +
    `:color_trc=${transfer ?? "bt709"}`;
  if (!isHdr) return [input, "zscale=m=bt709:p=bt709:t=bt709:r=tv"];
  return [
    input,
    "zscale=t=linear:npl=203",
    "format=gbrpf32le,zscale=p=bt709,tonemap=mobius:desat=0",
    "zscale=t=bt709:m=bt709:r=tv",
  ];
}

/** Whether there are more frames than are kept; single ones may follow each other more closely. */
function isTooFast({ packets, duration, interlaced }: VideoMetadata): boolean {
  const frames = interlaced ? packets / 2 : packets;
  return duration !== null && frames > duration * maxFrameRate * rateTolerance;
}

function videoFilters(metadata: VideoMetadata, size: Size): string {
  const wide = wideColorFilters(metadata);
  const scale = `scale=${size.width}:${size.height}:in_color_matrix=${scalerMatrix(metadata)}`;
  const toVideo = "out_color_matrix=bt709:out_range=tv";
  const filters: string[] = [];
  if (metadata.lead > 0.0005) filters.push(`setpts=PTS-${metadata.lead.toFixed(6)}/TB`);
  if (metadata.interlaced) filters.push("bwdif=mode=send_frame:deint=interlaced");
  if (wide.length > 0) filters.push(`scale=${size.width}:${size.height}`, ...wide);
  else if (metadata.hasAlpha) {
    // Transparent areas become black.
    filters.push(scale, "format=gbrap,premultiply=inplace=1,format=gbrp", `scale=${toVideo}`);
  } else filters.push(`${scale}:${toVideo}`);
  if (isTooFast(metadata)) filters.push(`fps=${maxFrameRate}`);
  filters.push("format=yuv420p", "setsar=1");
  filters.push("setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709");
  return filters.join(",");
}

/**
 * One frame from the first second, or the middle of a shorter video, in JPEG's color (JFIF: BT.601,
 * full range).
 */
function posterFilters(metadata: VideoMetadata): string {
  const time = Math.min(posterSecond, (metadata.duration ?? 0) / 2);
  return `trim=start=${time.toFixed(3)},trim=end_frame=1,${posterColor}`;
}

const posterColor =
  "scale=in_color_matrix=bt709:in_range=tv:out_color_matrix=smpte170m:out_range=pc,format=yuvj420p";

const general = splitArguments("-hide_banner -nostdin -nostats -loglevel error");
const progress = splitArguments("-progress pipe:1 -stats_period 0.5");
const bare = splitArguments(
  "-map_metadata -1 -map_chapters -1 -fflags +bitexact -flags:v +bitexact",
);
const posterEncoding = splitArguments(
  `-frames:v 1 -c:v mjpeg -q:v ${posterQuality} -huffman optimal -f image2 -update 1`,
);
const videoEncoding = [
  ...splitArguments("-an -sn -dn -c:v libx264 -preset medium -crf 26"),
  // Closed captions would be the words of the sound that is removed.
  ...splitArguments("-a53cc 0"),
  // In units of its average rate, frames that follow each other closely would have the same time.
  ...splitArguments("-fps_mode vfr -enc_time_base 1:90000 -color_range tv -colorspace bt709"),
  ...splitArguments(
    "-color_primaries bt709 -color_trc bt709 -movflags +faststart -empty_hdlr_name 1 -f mp4",
  ),
];

/** ffmpeg's own VP8 and VP9 decoders ignore transparency; libvpx's don't. */
function decoderArguments({ codec, hasAlpha }: VideoMetadata): string[] {
  if (!hasAlpha || (codec !== "vp8" && codec !== "vp9")) return [];
  return ["-c:v", codec === "vp8" ? "libvpx" : "libvpx-vp9"];
}

/** Converts a video and makes its poster in one run of ffmpeg that decodes once. */
export function planVideo(metadata: VideoMetadata): VideoPlan {
  const size = storedSize(metadata);
  const graph =
    `[0:V:0]${videoFilters(metadata, size)},split[film][still];` +
    `[still]${posterFilters(metadata)}[poster]`;
  return {
    size,
    arguments: ({ input, output }) => [
      ...general,
      ...progress,
      ...decoderArguments(metadata),
      ...inputArguments(metadata.container, input),
      "-filter_complex",
      graph,
      ...splitArguments("-map [film]"),
      ...bare,
      ...videoEncoding,
      `file:${output}/${videoName}`,
      ...splitArguments("-map [poster]"),
      ...bare,
      ...posterEncoding,
      `file:${output}/${posterName}`,
    ],
  };
}

/**
 * Makes the poster from the first frame of the converted video, if the video ended before the
 * planned frame.
 */
export function lastPosterArguments(paths: { input: string; output: string }): string[] {
  const input = inputArguments("mov", paths.input);
  const poster = `file:${paths.output}/${posterName}`;
  return [...general, ...input, "-vf", posterColor, ...bare, ...posterEncoding, poster];
}
