import { open, readFile } from "node:fs/promises";
import { checkSize } from "./decode.ts";
import { ImageError } from "./image-error.ts";
import type { ImageLimits } from "./protocol.ts";

interface HeicImage {
  width: number;
  height: number;
  decode(): Promise<{ data: Uint8ClampedArray }>;
}

type HeicImages = HeicImage[] & { dispose(): void };

/** ISO/IEC 14496-12 color box: the ICC profile of the first image with one. */
function findProfile(file: Buffer): Buffer | undefined {
  for (const kind of ["colrprof", "colrrICC"]) {
    const at = file.indexOf(kind, 0, "latin1");
    if (at < 4) continue;
    const end = at - 4 + file.readUInt32BE(at - 4);
    const profile = file.subarray(at + kind.length, end);
    if (profile.length >= 128 && profile.toString("latin1", 36, 40) === "acsp") return profile;
  }
  return undefined;
}

/** TIFF 6.0, one strip of RGBA with the profile: libvips reads it row by row. */
function tiffHeader(width: number, height: number, profile: Buffer | undefined): Buffer {
  const entries: [tag: number, type: 3 | 4 | 7, count: number, value: number][] = [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, 4, 0],
    [259, 3, 1, 1],
    [262, 3, 1, 2],
    [273, 4, 1, 0],
    [277, 3, 1, 4],
    [278, 4, 1, height],
    [279, 4, 1, width * height * 4],
    [338, 3, 1, 2],
    ...(profile ? [[34_675, 7, profile.length, 0] as [number, 7, number, number]] : []),
  ];
  const depthsAt = 8 + 2 + entries.length * 12 + 4;
  const profileAt = depthsAt + 8;
  const pixelsAt = (profileAt + (profile?.length ?? 0) + 3) & ~3;
  const header = Buffer.alloc(pixelsAt);
  header.write("II*\0", "latin1");
  header.writeUInt32LE(8, 4);
  header.writeUInt16LE(entries.length, 8);
  const addresses = new Map([
    [258, depthsAt],
    [273, pixelsAt],
    [34_675, profileAt],
  ]);
  entries.forEach(([tag, type, count, value], index) => {
    const at = 10 + index * 12;
    header.writeUInt16LE(tag, at);
    header.writeUInt16LE(type, at + 2);
    header.writeUInt32LE(count, at + 4);
    header.writeUInt32LE(addresses.get(tag) ?? value, at + 8);
  });
  for (let n = 0; n < 4; n += 1) header.writeUInt16LE(8, depthsAt + n * 2);
  profile?.copy(header, profileAt);
  return header;
}

/**
 * Decodes a HEIC image to an uncompressed TIFF at `target`, for the same steps as other images.
 * libheif rotates it upright; its color profile is kept.
 */
export async function heicToTiff(file: string, target: string, limits: ImageLimits): Promise<void> {
  const { default: heic } = await import("heic-decode");
  const buffer = await readFile(file);
  let images: HeicImages;
  try {
    images = await heic.all({ buffer });
  } catch (cause) {
    throw new ImageError("corrupt", "The HEIC image can't be read. Export it as JPEG.", { cause });
  }
  try {
    const image = images[0];
    if (image === undefined)
      throw new ImageError("corrupt", "The HEIC file contains no image. Choose another file.");
    const { width, height } = image;
    checkSize({ width, height, frames: 1 }, "heic", limits);
    const { data } = await image.decode().catch((cause: unknown) => {
      throw new ImageError("undecodable", "The HEIC image can't be decoded. Export it as JPEG.", {
        cause,
      });
    });
    await using out = await open(target, "wx", 0o600);
    await out.write(tiffHeader(width, height, findProfile(buffer)));
    await out.writeFile(data);
  } finally {
    images.dispose();
  }
}
