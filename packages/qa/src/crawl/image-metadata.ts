import type { CrawlResponse } from "./crawl.ts";

type Size = { width: number; height: number };

function pngSize(bytes: Buffer): Size | null {
  if (bytes.length < 24 || bytes.toString("latin1", 12, 16) !== "IHDR") return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): Size | null {
  return bytes.length < 10 ? null : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** The segments of a JPEG before its pixels: marker, start, and end of the data. */
function* jpegSegments(bytes: Buffer): Generator<[marker: number, from: number, to: number]> {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    yield [marker, at + 4, at + 2 + length];
    if (marker === 0xda || length < 2) return;
    at += 2 + length;
  }
}

/** Start of frame: all of C0–CF except for the tables in that range. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function jpegSize(bytes: Buffer): Size | null {
  for (const [marker, from] of jpegSegments(bytes)) {
    if (isFrame(marker) && from + 5 <= bytes.length) {
      return { height: bytes.readUInt16BE(from + 1), width: bytes.readUInt16BE(from + 3) };
    }
  }
  return null;
}

function webpSize(bytes: Buffer): Size | null {
  if (bytes.length < 30) return null;
  const kind = bytes.toString("latin1", 12, 16);
  if (kind === "VP8X") {
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  if (kind === "VP8 ") {
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
  if (kind !== "VP8L") return null;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** The size of AVIF and HEIC: the largest one in their boxes (ISO/IEC 23008-12, 6.5.3). */
function boxSize(bytes: Buffer): Size | null {
  let best: Size | null = null;
  for (let at = bytes.indexOf("ispe"); at > 0 && at + 16 <= bytes.length;) {
    const size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    if (!best || size.width * size.height > best.width * best.height) best = size;
    at = bytes.indexOf("ispe", at + 16);
  }
  return best;
}

function svgSize(bytes: Buffer): Size | null {
  const root = /<svg\s[^>]*>/i.exec(bytes.toString("utf8", 0, 4096))?.[0] ?? "";
  const length = (name: string) => {
    const value = new RegExp(`\\s${name}\\s*=\\s*["']\\s*([\\d.]+)(?:px)?\\s*["']`, "i").exec(root);
    return value ? Number(value[1]) : null;
  };
  const [width, height] = [length("width"), length("height")];
  if (width !== null && height !== null) return { width, height };
  const box = /\sviewBox\s*=\s*["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/i.exec(root);
  return box ? { width: Number(box[1]), height: Number(box[2]) } : null;
}

const sizes: Readonly<Record<string, (bytes: Buffer) => Size | null>> = {
  "image/png": pngSize,
  "image/gif": gifSize,
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
  "image/avif": boxSize,
  "image/heic": boxSize,
  "image/heif": boxSize,
  "image/svg+xml": svgSize,
};

/** The TIFF structure with an image's metadata; null if there is none. */
function notesOf(bytes: Buffer, type: string): Buffer | null {
  if (type === "image/jpeg") {
    for (const [marker, from, to] of jpegSegments(bytes)) {
      const isNotes = marker === 0xe1 && bytes.toString("latin1", from, from + 6) === "Exif\0\0";
      if (isNotes) return bytes.subarray(from + 6, to);
    }
    return null;
  }
  const [name, bigEndian] = type === "image/png" ? (["eXIf", true] as const) : ["EXIF", false];
  if (type !== "image/png" && type !== "image/webp") return null;
  const at = bytes.indexOf(name, 12, "latin1");
  if (at < 4 || at + 8 > bytes.length) return null;
  if (bigEndian) return bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4));
  const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4));
  return data.toString("latin1", 0, 6) === "Exif\0\0" ? data.subarray(6) : data;
}

const placeTags: Readonly<Record<number, string>> = {
  2: "GPSLatitude",
  4: "GPSLongitude",
  6: "GPSAltitude",
  20: "GPSDestLatitude",
  22: "GPSDestLongitude",
};

/** The tags of one TIFF directory: number and value, at most 200. */
function directory(notes: Buffer, at: number, little: boolean): [tag: number, value: number][] {
  const two = (from: number) => (little ? notes.readUInt16LE(from) : notes.readUInt16BE(from));
  const four = (from: number) => (little ? notes.readUInt32LE(from) : notes.readUInt32BE(from));
  if (at + 2 > notes.length) return [];
  const count = Math.min(two(at), 200, Math.floor((notes.length - at - 2) / 12));
  return Array.from({ length: count }, (_, i) => [two(at + 2 + i * 12), four(at + 10 + i * 12)]);
}

/** The names of the tags that reveal where an image was taken (Exif 3.0, 4.6.6). */
function locationTags(bytes: Buffer, type: string): string[] {
  const notes = notesOf(bytes, type);
  if (!notes || notes.length < 8) return [];
  const little = notes[0] === 0x49;
  const first = little ? notes.readUInt32LE(4) : notes.readUInt32BE(4);
  const pointer = directory(notes, first, little).find(([tag]) => tag === 0x8825);
  if (!pointer) return [];
  return directory(notes, pointer[1], little).flatMap(([tag]) => placeTags[tag] ?? []);
}

/** Reads the size of an image from its first bytes, without decoding it; null if there is none. */
export function readImageMetadata(bytes: Buffer, type: string | null): CrawlResponse["image"] {
  const read = type === null ? undefined : sizes[type];
  if (type === null || !read) return null;
  const size = read(bytes);
  if (!size || !(size.width > 0) || !(size.height > 0)) return null;
  const format = type.slice("image/".length).replace("+xml", "");
  return { format, ...size, locationTags: locationTags(bytes, type) };
}
