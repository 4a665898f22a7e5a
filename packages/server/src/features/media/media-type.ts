import { open } from "node:fs/promises";
import { AppError } from "../../kit/errors.ts";
import { type Container, containerOf } from "./video/container.ts";

export type ImageFormat = "jpeg" | "png" | "webp" | "gif" | "tiff" | "avif" | "heic";

/** The type according to a file's first bytes. Only decoding shows whether the content is valid. */
export type MediaType =
  | { kind: "image"; format: ImageFormat; mime: string }
  | { kind: "video"; format: Container; mime: string };

/**
 * A file that isn't accepted: what it is and what its owner can do, as sentences; null if unknown.
 */
export interface UnsupportedType {
  kind: null;
  name: string | null;
  advice: string;
}

/** The number of bytes that `sniffMedia` needs at most. */
export const sniffLength = 4096;

const svgName = "an SVG drawing";
const otherwise =
  "Images can be JPEG, PNG, WebP, GIF, AVIF, HEIC or TIFF; videos MP4, MOV, WebM, MKV, AVI or MPEG-TS.";
const asPng = "Export it as PNG.";
const asJpeg = "Export it as JPEG or PNG.";
const asMp4 = "Export it as MP4.";

function image(format: ImageFormat): MediaType {
  return { kind: "image", format, mime: `image/${format}` };
}

const videoMime: Record<Container, string> = {
  mov: "video/mp4",
  matroska: "video/x-matroska",
  avi: "video/x-msvideo",
  mpegts: "video/mp2t",
  mpeg: "video/mpeg",
  flv: "video/x-flv",
  asf: "video/x-ms-asf",
  ogg: "video/ogg",
};

function unsupported(name: string | null, advice = otherwise): UnsupportedType {
  return { kind: null, name, advice };
}

interface Signature {
  /** Latin 1 text, one character per byte. */
  bytes: string;
  at?: number;
  type: MediaType | UnsupportedType;
}

const signatures: Signature[] = [
  { bytes: "\xFF\xD8\xFF", type: image("jpeg") },
  { bytes: "\x89PNG\r\n\x1A\n", type: image("png") },
  { bytes: "GIF87a", type: image("gif") },
  { bytes: "GIF89a", type: image("gif") },
  { bytes: "CR\x02", at: 8, type: unsupported("a raw camera image", asJpeg) },
  { bytes: "II*\0", type: image("tiff") },
  { bytes: "MM\0*", type: image("tiff") },
  { bytes: "II+\0", type: image("tiff") },
  { bytes: "MM\0+", type: image("tiff") },
  { bytes: "\0\0\0\x0CJXL \r\n\x87\n", type: unsupported("a JPEG XL image", asJpeg) },
  { bytes: "\xFF\x0A", type: unsupported("a JPEG XL image", asJpeg) },
  { bytes: "\0\0\0\x0CjP  ", type: unsupported("a JPEG 2000 image", asJpeg) },
  { bytes: "\xFF\x4F\xFF\x51", type: unsupported("a JPEG 2000 image", asJpeg) },
  { bytes: "BM", type: unsupported("a BMP image", asPng) },
  { bytes: "\0\0\x01\0", type: unsupported("an icon (ICO)", asPng) },
  { bytes: "\0\0\x02\0", type: unsupported("a cursor (CUR)", asPng) },
  { bytes: "icns", type: unsupported("an icon (ICNS)", asPng) },
  { bytes: "qoif", type: unsupported("a QOI image", asPng) },
  { bytes: "8BPS", type: unsupported("a Photoshop document", asJpeg) },
  { bytes: "DDS ", type: unsupported("a DDS texture", asPng) },
  { bytes: "v/1\x01", type: unsupported("an OpenEXR image", asJpeg) },
  { bytes: "#?RADIANCE", type: unsupported("a Radiance image", asJpeg) },
  { bytes: "farbfeld", type: unsupported("a farbfeld image", asPng) },
  { bytes: "FUJIFILMCCD-RAW", type: unsupported("a raw camera image", asJpeg) },
  { bytes: "IIRO", type: unsupported("a raw camera image", asJpeg) },
  { bytes: "IIU\0", type: unsupported("a raw camera image", asJpeg) },
  { bytes: "\0\0\x01\xB3", type: unsupported("a bare MPEG video stream", asMp4) },
  { bytes: ".RMF", type: unsupported("a RealMedia file", asMp4) },
  { bytes: "DKIF", type: unsupported("an IVF video", asMp4) },
  { bytes: "YUV4MPEG2", type: unsupported("an uncompressed video (Y4M)", asMp4) },
  { bytes: "ID3", type: unsupported("an audio file (MP3)") },
  { bytes: "fLaC", type: unsupported("an audio file (FLAC)") },
  { bytes: "MThd", type: unsupported("a MIDI file") },
  { bytes: "%PDF-", type: unsupported("a PDF document", "Export the page as PNG.") },
  { bytes: "%!PS", type: unsupported("a PostScript document", "Export the page as PNG.") },
  {
    bytes: "\xC5\xD0\xD3\xC6",
    type: unsupported("a PostScript document", "Export the page as PNG."),
  },
  {
    bytes: "PK\x03\x04",
    type: unsupported("a ZIP archive", "Unpack it and upload the images in it."),
  },
  {
    bytes: "PK\x05\x06",
    type: unsupported("a ZIP archive", "Unpack it and upload the images in it."),
  },
  {
    bytes: "7z\xBC\xAF\x27\x1C",
    type: unsupported("a 7-Zip archive", "Unpack it and upload the images in it."),
  },
  {
    bytes: "Rar!\x1A\x07",
    type: unsupported("a RAR archive", "Unpack it and upload the images in it."),
  },
  {
    bytes: "\x1F\x8B",
    type: unsupported(
      "a file compressed with gzip",
      "Unpack it first. Export a compressed SVG (SVGZ) as PNG.",
    ),
  },
  { bytes: "BZh", type: unsupported("a file compressed with bzip2", "Unpack it first.") },
  { bytes: "\xFD7zXZ\0", type: unsupported("a file compressed with xz", "Unpack it first.") },
  { bytes: "\x28\xB5\x2F\xFD", type: unsupported("a file compressed with Zstandard") },
  { bytes: "\x7FELF", type: unsupported("a program") },
  { bytes: "MZ", type: unsupported("a program") },
  { bytes: "#!", type: unsupported("a script") },
  { bytes: "SQLite format 3\0", type: unsupported("a database") },
  { bytes: "wOFF", type: unsupported("a font") },
  { bytes: "wOF2", type: unsupported("a font") },
];

const avifBrands = new Set(["avif", "avis"]);
const heicBrands = new Set(["heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs"]);
const heifBrands = new Set(["mif1", "msf1", "mif2", "miaf"]);

/** Still images in the file type box of ISO/IEC 14496-12: major brand, then compatible ones. */
function sniffIsoMedia(head: Uint8Array, text: string): MediaType | UnsupportedType | undefined {
  if (head.length < 12 || text.slice(4, 8) !== "ftyp") return undefined;
  const size = new DataView(head.buffer, head.byteOffset).getUint32(0);
  const list = text.slice(16, Math.min(Math.max(size, 16), 256));
  const major = text.slice(8, 12);
  const brands = list.match(/[\s\S]{4}/g) ?? [];
  if (avifBrands.has(major)) return image("avif");
  if (heicBrands.has(major)) return image("heic");
  if (heifBrands.has(major)) {
    if (brands.some((brand) => avifBrands.has(brand))) return image("avif");
    if (brands.some((brand) => heicBrands.has(brand))) return image("heic");
    return unsupported("a kind of HEIF image that isn't supported", asJpeg);
  }
  if (major === "crx ") return unsupported("a raw camera image", asJpeg);
  if (major === "jxl ") return unsupported("a JPEG XL image", asJpeg);
  if (major === "M4A " || major === "M4B ") return unsupported("an audio file (M4A)");
  return undefined;
}

function sniffRiff(text: string): MediaType | UnsupportedType | undefined {
  if (!text.startsWith("RIFF")) return undefined;
  const form = text.slice(8, 12);
  if (form === "WEBP") return image("webp");
  if (form === "WAVE") return unsupported("an audio file (WAV)");
  return undefined;
}

function sniffVideo(head: Uint8Array): MediaType | undefined {
  const format = containerOf(Buffer.from(head));
  return format === null ? undefined : { kind: "video", format, mime: videoMime[format] };
}

const playlist =
  "A playlist only links to videos elsewhere, which aren't fetched. Upload the video itself as MP4.";

/** The kind of a text, if its beginning shows it. */
function sniffText(head: Uint8Array): UnsupportedType | undefined {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const encoding = !isWide ? "utf-8" : head[0] === 0xff ? "utf-16le" : "utf-16be";
  const text = new TextDecoder(encoding).decode(head).trimStart();
  if (text.startsWith("#EXTM3U")) return unsupported("an HLS playlist", playlist);
  if (/^(ffconcat version|\[playlist\])/i.test(text)) return unsupported("a playlist", playlist);
  if (/<MPD[\s>]/.test(text)) return unsupported("a DASH playlist", playlist);
  if (/<(?:\w+:)?svg[\s>]|<!DOCTYPE svg/i.test(text) && text.startsWith("<")) {
    return unsupported(svgName, asPng);
  }
  if (/^(?:<!--[\s\S]*?-->\s*)?<(!doctype html|html|head|body|script|title|meta)\b/i.test(text)) {
    return unsupported("an HTML page", "Upload the image itself, not the page that shows it.");
  }
  if (text.startsWith("<?xml")) return unsupported("an XML document");
  if (/^P[1-7][\s#]/.test(text)) return unsupported("a PNM image", asPng);
  // eslint-disable-next-line no-control-regex
  const isText = text !== "" && !/[\u0000-\u0008\u000E-\u001A\uFFFD]/.test(text.slice(0, -3));
  return isText ? unsupported("a text") : undefined;
}

/**
 * Determines a file's type by its bytes alone, never by its name or declared type. `head` contains
 * its first `sniffLength` bytes, or all of them if there are fewer.
 */
export function sniffMedia(head: Uint8Array): MediaType | UnsupportedType {
  const start = head.subarray(0, sniffLength);
  if (start.length === 0) return unsupported("an empty file");
  const text = Buffer.from(start).toString("latin1");
  return (
    sniffRiff(text) ??
    sniffIsoMedia(start, text) ??
    signatures.find(({ bytes, at = 0 }) => text.startsWith(bytes, at))?.type ??
    sniffVideo(start) ??
    sniffText(start) ??
    unsupported(null)
  );
}

/** Whether a file is a drawing in SVG: no upload, but an import has it rendered. */
export function isSvg(head: Uint8Array): boolean {
  const type = sniffMedia(head);
  return type.kind === null && type.name === svgName;
}

/** The first bytes of a file, which determine its type. */
export async function readHead(file: string): Promise<Uint8Array> {
  await using handle = await open(file);
  const head = Buffer.alloc(sniffLength);
  const { bytesRead } = await handle.read(head, 0, head.length, 0);
  return head.subarray(0, bytesRead);
}

/** The same; throws `unsupported_media_type`, which says what the file is and what to do. */
export function requireMedia(head: Uint8Array): MediaType {
  const type = sniffMedia(head);
  if (type.kind !== null) return type;
  const what =
    type.name === null ? "This isn't a supported image or video format." : `This is ${type.name}.`;
  throw new AppError("unsupported_media_type", `${what} ${type.advice}`);
}
