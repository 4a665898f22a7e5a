import { open } from "node:fs/promises";
import { ImageError } from "./image-error.ts";

/** TIFF 6.0: the tag and its value for JPEG as it was before Technical Note 2. */
const compressionTag = 259;
const oldJpeg = 6;
/** Entries of an index that are looked at; the tags are in order. */
const maxEntries = 256;

/**
 * Throws `undecodable` if the first image of a TIFF is compressed with the old kind of JPEG, of
 * which the decoder makes an empty image.
 */
export async function refuseOldJpeg(file: string): Promise<void> {
  await using handle = await open(file);
  const head = Buffer.alloc(8);
  await handle.read(head, 0, 8, 0);
  const isLittle = head.toString("latin1", 0, 2) === "II";
  const uint16 = (data: Buffer, at: number) =>
    isLittle ? data.readUInt16LE(at) : data.readUInt16BE(at);
  if (uint16(head, 2) !== 42) return;
  const index = isLittle ? head.readUInt32LE(4) : head.readUInt32BE(4);
  const entries = Buffer.alloc(2 + maxEntries * 12);
  const { bytesRead } = await handle.read(entries, 0, entries.length, index);
  const count = Math.min(bytesRead < 2 ? 0 : uint16(entries, 0), maxEntries);
  for (let at = 2; at + 12 <= Math.min(bytesRead, 2 + count * 12); at += 12) {
    if (uint16(entries, at) !== compressionTag) continue;
    if (uint16(entries, at + 8) !== oldJpeg) return;
    const message =
      "This TIFF contains an old kind of JPEG that can't be decoded. Export it as PNG or JPEG.";
    throw new ImageError("undecodable", message);
  }
}
