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

/** A chunk of a PNG file. */
export function pngChunk(type: string, data: Buffer): Buffer {
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

/** A PNG with these chunks before all its others but the first. */
export function withChunks(png: Buffer, ...chunks: Buffer[]): Buffer {
  const headerEnd = 33;
  return Buffer.concat([png.subarray(0, headerEnd), ...chunks, png.subarray(headerEnd)]);
}

/** A rectangle of one of the colors 0 to 5 of `plainGif`. */
export interface GifFrame {
  at: [left: number, top: number, width: number, height: number];
  color: number;
  /** What happens to it before the next frame, as GIF89a numbers it. */
  disposal: number;
}

/** A GIF of plain rectangles that names no transparent color; its colors are those of `gifColors`. */
export function plainGif(width: number, height: number, frames: GifFrame[]): Buffer {
  const screen = Buffer.from("GIF89a\0\0\0\0\xf6\0\0", "latin1");
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  const palette = Buffer.alloc(128 * 3);
  palette.set(gifColors.flat());
  const images = frames.map(({ at, color, disposal }) => {
    const control = Buffer.from([0x21, 0xf9, 4, disposal << 2, 20, 0, 0, 0]);
    const place = Buffer.alloc(11);
    place[0] = 0x2c;
    for (const [n, value] of at.entries()) place.writeUInt16LE(value, 1 + n * 2);
    place[10] = 7;
    // Codes of 8 bits stay so if the table is cleared in time.
    const codes = Array.from({ length: at[2] * at[3] }, (_, n) =>
      n % 100 === 0 ? [128, color] : color,
    );
    const data = Buffer.from([...codes.flat(), 129]);
    const blocks = Array.from({ length: Math.ceil(data.length / 255) }, (_, n) => {
      const block = data.subarray(n * 255, n * 255 + 255);
      return Buffer.concat([Buffer.from([block.length]), block]);
    });
    return Buffer.concat([control, place, ...blocks, Buffer.from([0])]);
  });
  return Buffer.concat([screen, palette, ...images, Buffer.from([0x3b])]);
}

export const gifColors = [
  [0, 0, 0],
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
];
