import type { SiteView } from "./site-view.ts";
import { TooLarge } from "./tree.ts";

const magic: readonly (readonly [string, (bytes: Buffer) => boolean])[] = [
  [
    "image/png",
    (bytes) => bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])),
  ],
  ["image/jpeg", (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff],
  ["image/gif", (bytes) => /^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6))],
  [
    "image/webp",
    (bytes) =>
      bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP",
  ],
  [
    "image/avif",
    (bytes) =>
      bytes.toString("latin1", 4, 8) === "ftyp" &&
      /^avi[fs]$/.test(bytes.toString("latin1", 8, 12)),
  ],
  [
    "video/mp4",
    (bytes) =>
      bytes.toString("latin1", 4, 8) === "ftyp" &&
      !/^avi[fs]$/.test(bytes.toString("latin1", 8, 12)),
  ],
  ["application/pdf", (bytes) => bytes.toString("latin1", 0, 5) === "%PDF-"],
];

/** The type of a file by its first bytes; null if unknown. */
export function typeOfBytes(bytes: Buffer): string | null {
  return magic.find(([, test]) => bytes.length >= 12 && test(bytes))?.[0] ?? null;
}

/** The type of a site's file by its first bytes; null if unknown or unreadable. */
export function fileTypeOf(site: SiteView, path: string): string | null {
  try {
    return typeOfBytes(site.head(path));
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

/** Width and height of a PNG (PNG specification, 11.2.1); null for anything else. */
export function pngSize(bytes: Buffer): { width: number; height: number } | null {
  if (typeOfBytes(bytes) !== "image/png" || bytes.length < 24) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
