import { open } from "node:fs/promises";
import { ImageError } from "./image-error.ts";

/** Tags of TIFF 6.0, TIFF/EP, and DNG that show whether the first image is the one to store. */
const tags = { subfileType: 254, compression: 259, photometric: 262, dngVersion: 50_706 };
/** JPEG as it was before Technical Note 2. */
const oldJpeg = 6;
/** Values of one sensor color for each pixel. */
const sensorColors: ReadonlySet<number | undefined> = new Set([32_803, 34_892]);
/** Entries of an index that are looked at. */
const maxEntries = 256;
const shortType = 3;

/** The numbers of the first image's tags; none for what isn't a TIFF of 32 bits. */
async function readTags(file: string): Promise<Map<number, number>> {
  await using handle = await open(file);
  const head = Buffer.alloc(8);
  await handle.read(head, 0, 8, 0);
  const isLittle = head.toString("latin1", 0, 2) === "II";
  const uint16 = (data: Buffer, at: number) =>
    isLittle ? data.readUInt16LE(at) : data.readUInt16BE(at);
  const uint32 = (data: Buffer, at: number) =>
    isLittle ? data.readUInt32LE(at) : data.readUInt32BE(at);
  const found = new Map<number, number>();
  if (uint16(head, 2) !== 42) return found;
  const entries = Buffer.alloc(2 + maxEntries * 12);
  const { bytesRead } = await handle.read(entries, 0, entries.length, uint32(head, 4));
  const count = Math.min(bytesRead < 2 ? 0 : uint16(entries, 0), maxEntries);
  for (let at = 2; at + 12 <= Math.min(bytesRead, 2 + count * 12); at += 12) {
    const isShort = uint16(entries, at + 2) === shortType;
    found.set(uint16(entries, at), (isShort ? uint16 : uint32)(entries, at + 8));
  }
  return found;
}

/**
 * Throws `undecodable` for a TIFF whose first image can't be decoded or isn't the image: the raw data
 * of a camera, whose first image is a thumbnail, and the old kind of JPEG, of which the decoder makes
 * an empty image.
 */
export async function refuseUnfitTiff(file: string): Promise<void> {
  const found = await readTags(file);
  const isThumbnail = ((found.get(tags.subfileType) ?? 0) & 1) === 1;
  if (isThumbnail || found.has(tags.dngVersion) || sensorColors.has(found.get(tags.photometric))) {
    throw new ImageError("undecodable", "This is a raw camera image. Export it as JPEG.");
  }
  if (found.get(tags.compression) !== oldJpeg) return;
  const message =
    "This TIFF contains an old kind of JPEG that can't be decoded. Export it as PNG or JPEG.";
  throw new ImageError("undecodable", message);
}
