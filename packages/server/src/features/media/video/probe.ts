import { splitArguments } from "../../../platform/sandbox/command.ts";
import { videoError, notAVideo } from "./failures.ts";
import type { Container } from "./container.ts";
import type { VideoSandbox, ToolResult } from "./sandbox.ts";

/** A video according to its packets and first frames, not its container. */
export interface VideoMetadata {
  container: Container;
  codec: string;
  /** From the decoder, before rotation and pixel aspect ratio. */
  width: number;
  height: number;
  /** The width of a pixel divided by its height. */
  pixelAspect: number;
  /** Whether it is rotated by 90 or 270 degrees. */
  isRotated: boolean;
  pixelFormat: string;
  hasAlpha: boolean;
  interlaced: boolean;
  /** ffmpeg's color names; null if unspecified. */
  matrix: string | null;
  primaries: string | null;
  transfer: string | null;
  /** Number of displayed packets in the video track. */
  packets: number;
  /**
   * Seconds from the first displayed frame to the end of the last; null if the packets have no
   * times.
   */
  duration: number | null;
  /** Seconds from the container's first packet to the first displayed frame. */
  lead: number;
  encrypted: boolean;
}

export interface ProbeBounds {
  /** Maximum duration, in seconds. */
  maxSeconds: number;
  /** Maximum length of a frame's longer edge, in pixels. */
  maxEdge: number;
  cpuMs: number;
  silenceMs: number;
}

/** Restricts ffprobe and ffmpeg to one file and one demuxer, selected by the file's bytes. */
export function inputArguments(container: Container, input: string): string[] {
  const only = `-protocol_whitelist file -format_whitelist ${container} -f ${container} -i`;
  return [...splitArguments(only), `file:${input}`];
}

/** The times of a video's packets, collected as they arrive. */
interface PacketTimes {
  packets: number;
  first: number;
  /** The time of the last frame. */
  last: number;
  end: number;
  encrypted: boolean;
}

/** Maximum duration of a single frame: a container's last duration can be anything. */
const maxFrameSeconds = 1;

type Fields = Map<string, string>;

/**
 * Reads a line of ffprobe's flat format, such as `packets.packet.7.size="692"`. Unlike its compact
 * format, it names the section of everything that is nested, however many of them there are.
 */
function readLine(line: string): { section: string; name: string; value: string } | null {
  const [, path = "", text = ""] = /^([\w.]+)=(.*)$/.exec(line) ?? [];
  if (path === "") return null;
  const parts = path.split(".");
  const name = parts.pop() ?? "";
  // A packet and a stream have a number; what they contain belongs to them.
  const section = parts.slice(0, parts[0] === "format" ? 1 : 3).join(".");
  return { section, name, value: text.replace(/^"(.*)"$/, "$1") };
}

/** Collects ffprobe's lines by section and passes each section on when it is complete. */
function makeSectionReader(onSection: (section: string, fields: Fields) => void) {
  let section = "";
  let fields: Fields = new Map();
  const end = () => {
    if (section !== "") onSection(section, fields);
    section = "";
    fields = new Map();
  };
  const add = (line: string) => {
    const found = readLine(line);
    if (found === null) return;
    if (found.section !== section) end();
    section = found.section;
    if (!fields.has(found.name)) fields.set(found.name, found.value);
  };
  return { add, end };
}

function numberOf(text: string | undefined): number | null {
  if (text === undefined || !/^-?[\d.]+$/.test(text)) return null;
  return Number(text);
}

/** Adds a packet; packets excluded by an edit list are marked D, repeated frames are empty. */
function addPacket(times: PacketTimes, fields: Fields): void {
  if (fields.get("flags")?.includes("D") === true || fields.get("size") === "0") return;
  times.encrypted ||= fields.get("side_data_type") === "Encryption info";
  times.packets += 1;
  const start = numberOf(fields.get("pts_time")) ?? numberOf(fields.get("dts_time"));
  if (start === null) return;
  const length = Math.min(numberOf(fields.get("duration_time")) ?? 0, maxFrameSeconds);
  times.first = Math.min(times.first, start);
  times.last = Math.max(times.last, start);
  times.end = Math.max(times.end, start + length);
}

/** A name from ffprobe, or null if it says that it is unknown. */
function knownOrNull(text: string | undefined): string | null {
  return text === undefined || ["unknown", "N/A", "unspecified", "reserved"].includes(text)
    ? null
    : text;
}

function aspectOf(text: string | undefined): number {
  const [, width, height] = /^(\d+):(\d+)$/.exec(text ?? "") ?? [];
  const aspect = Number(width) / Number(height);
  return Number.isFinite(aspect) && aspect > 0 ? aspect : 1;
}

function isRotated(fields: Fields): boolean {
  const degrees = numberOf(fields.get("rotation")) ?? 0;
  return Math.abs(Math.round(degrees / 90)) % 2 === 1 && Math.abs(degrees % 90) < 1;
}

const alphaFormats = /^(yuva|rgba|bgra|argb|abgr|gbrap|ayuv|ya\d|pal8)/;
const interlacedOrders = new Set(["tt", "bb", "tb", "bt"]);

function metadataOf(
  container: Container,
  stream: Fields,
  format: Fields,
  times: PacketTimes,
): VideoMetadata {
  const pixelFormat = knownOrNull(stream.get("pix_fmt")) ?? "";
  const hasTimes = Number.isFinite(times.first);
  const start = numberOf(format.get("start_time"));
  return {
    container,
    codec: knownOrNull(stream.get("codec_name")) ?? "",
    width: numberOf(stream.get("width")) ?? 0,
    height: numberOf(stream.get("height")) ?? 0,
    pixelAspect: aspectOf(stream.get("sample_aspect_ratio")),
    isRotated: isRotated(stream),
    pixelFormat,
    hasAlpha: alphaFormats.test(pixelFormat) || stream.get("alpha_mode") === "1",
    interlaced: interlacedOrders.has(stream.get("field_order") ?? ""),
    matrix: knownOrNull(stream.get("color_space")),
    primaries: knownOrNull(stream.get("color_primaries")),
    transfer: knownOrNull(stream.get("color_transfer")),
    packets: times.packets,
    duration: hasTimes ? times.end - times.first : null,
    lead: hasTimes && start !== null ? Math.max(0, times.first - start) : 0,
    encrypted: times.encrypted || stream.get("codec_tag_string") === "encv",
  };
}

/** Whether the file ends in the middle of its index or last element. */
function isCutOff(complaints: string, times: PacketTimes, claimedSeconds: number | null): boolean {
  if (!/partial file|File ended prematurely/.test(complaints)) return false;
  // The missing part may be sound or an index at the end; the images are then complete.
  return claimedSeconds === null || times.end - times.first < claimedSeconds * 0.98;
}

/** V: video except cover images. */
const probeArguments = [
  ...splitArguments("-select_streams V:0 -of flat -show_entries"),
  [
    "packet=pts_time,dts_time,duration_time,size,flags",
    "packet_side_data=side_data_type",
    "stream=codec_name,codec_tag_string,width,height,sample_aspect_ratio,pix_fmt,field_order",
    "stream=color_space,color_primaries,color_transfer,duration",
    "stream_tags=alpha_mode",
    "stream_side_data=rotation",
    "format=start_time,duration",
  ].join(":"),
];

/**
 * Reads a video's streams and the times of all its packets in one run of ffprobe. Throws AppError
 * `bad_media` with the reason if it isn't acceptable, `unsupported_media_type` if it isn't a video.
 */
export async function probeVideo(
  sandbox: VideoSandbox,
  video: { file: string; container: Container; signal: AbortSignal },
  bounds: ProbeBounds,
): Promise<VideoMetadata> {
  const times: PacketTimes = {
    packets: 0,
    first: Infinity,
    last: -Infinity,
    end: -Infinity,
    encrypted: false,
  };
  let stream: Fields | undefined;
  let format: Fields | undefined;
  let tooLong = false;
  let stop = () => {};
  const sections = makeSectionReader((section, fields) => {
    if (section === "format") format ??= fields;
    else if (section.startsWith("streams.")) stream ??= fields;
    else if (section.startsWith("packets.") && !tooLong) {
      addPacket(times, fields);
      tooLong = times.last - times.first > bounds.maxSeconds;
      if (tooLong) stop();
    }
  });
  const result = await sandbox.run({
    program: "ffprobe",
    input: video.file,
    output: null,
    arguments: ({ input }) => [
      ...splitArguments("-hide_banner -v error"),
      ...inputArguments(video.container, input),
      ...probeArguments,
    ],
    fileBytes: 0,
    cpuMs: bounds.cpuMs,
    silenceMs: bounds.silenceMs,
    signal: video.signal,
    onLine: (line, end) => {
      stop = end;
      sections.add(line);
    },
  });
  sections.end();
  if (tooLong) throw videoTooLong(bounds.maxSeconds);
  refuseFailure(result);
  if (stream === undefined) throw videoError("no_video_track");
  const metadata = metadataOf(video.container, stream, format ?? new Map(), times);
  const claimed = numberOf(stream.get("duration")) ?? numberOf(format?.get("duration"));
  refuseUnfit(metadata, bounds);
  if (isCutOff(result.complaints, times, claimed)) throw videoError("corrupt");
  return metadata;
}

/** The error for a video that is longer than `seconds`. */
export function videoTooLong(seconds: number): Error {
  return videoError("duration_exceeded", `It can be at most ${seconds} s long.`);
}

function refuseFailure(result: ToolResult): void {
  if (result.timedOut) throw videoError("timeout");
  if (result.code === 0) return;
  if (result.complaints.includes("not on whitelist")) throw notAVideo();
  throw videoError("corrupt", "", new Error(result.complaints));
}

function refuseUnfit(metadata: VideoMetadata, bounds: ProbeBounds): void {
  if (metadata.encrypted) throw videoError("encrypted");
  if (Math.max(metadata.width, metadata.height) > bounds.maxEdge) {
    throw videoError("too_many_pixels", `The longer edge can be at most ${bounds.maxEdge} pixels.`);
  }
  if ((metadata.duration ?? 0) > bounds.maxSeconds + maxFrameSeconds) {
    throw videoTooLong(bounds.maxSeconds);
  }
  if (metadata.packets === 0) throw videoError("corrupt");
  const isKnown = metadata.codec !== "" && metadata.width > 0 && metadata.height > 0;
  if (!isKnown) throw videoError("undecodable");
}
