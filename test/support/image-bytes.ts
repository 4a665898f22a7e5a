import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";

/** Pixels that differ from place to place, the same for the same seed: nothing compresses them away. */
export function noise(width: number, height: number, channels: 3 | 4 = 3, seed = 1): Sharp {
  const data = Buffer.alloc(width * height * channels);
  let state = seed >>> 0;
  for (let at = 0; at < data.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    data[at] = state >>> 24;
  }
  return sharp(data, { raw: { width, height, channels } });
}

/** Left half in one color, right half in another, both as RGB or RGBA. */
export function halves(width: number, height: number, left: number[], right: number[]): Sharp {
  const channels = left.length as 3 | 4;
  const data = Buffer.alloc(width * height * channels);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    data.set(pixel % width < width / 2 ? left : right, pixel * channels);
  }
  return sharp(data, { raw: { width, height, channels } });
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** A gray PNG of any size in a few bytes a row: what bombs are made of. */
export function flatPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc((width + 1) * height), { level: 9 });
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1A\n", "latin1"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", pixels),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** An animated GIF of as many frames, all different. */
export function animatedGif(width: number, height: number, frames: number): Promise<Buffer> {
  const data = Buffer.alloc(width * height * frames * 3);
  for (let y = 0; y < height * frames; y += 1) {
    const shade = (Math.floor(y / height) * 37) % 256;
    data.fill(Buffer.from([shade, 255 - shade, y % 8]), y * width * 3, (y + 1) * width * 3);
  }
  const raw = { width, height: height * frames, channels: 3, pageHeight: height } as const;
  const delay = Array.from({ length: frames }, () => 80);
  return sharp(data, { raw }).gif({ delay, loop: 0, effort: 1 }).toBuffer();
}
