import { join } from "node:path";
import sharp from "sharp";

const width = 6000;
const height = 4000;

/** A stream of bytes that is the same for the same seed. */
function makeNoise(seed: number): (length: number) => Buffer {
  let state = seed >>> 0;
  return (length) => {
    const data = Buffer.alloc(length);
    for (let at = 0; at < length; at += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      data[at] = state >>> 24;
    }
    return data;
  };
}

/**
 * Noise in octaves, each hardly weaker than the one before: about the spectrum of photographs, and
 * about their size as JPEG. Generated for a quarter of the image, which is then mirrored.
 */
async function paintQuarter(seed: number): Promise<Buffer> {
  const [w, h] = [width / 2, height / 2];
  const noise = makeNoise(seed);
  const sum = new Float32Array(w * h * 3).fill(128);
  let strength = 0.45;
  for (let rows = 4; rows <= h; rows *= 2, strength /= 1.27) {
    const raw = { width: Math.ceil(rows * 1.5), height: rows, channels: 3 } as const;
    // Most information in photographs is brightness: color is a faint layer over it.
    const gray = noise(raw.width * raw.height);
    const tint = noise(raw.width * raw.height * 3);
    const layer = tint.map((value, at) => (gray[Math.floor(at / 3)] ?? 0) * 0.8 + value * 0.2);
    const scaled = await sharp(layer, { raw })
      .resize(w, h, { kernel: "cubic", fit: "fill" })
      .raw()
      .toBuffer();
    for (let at = 0; at < sum.length; at += 1) {
      sum[at] = (sum[at] ?? 0) + ((scaled[at] ?? 0) - 128) * strength;
    }
  }
  return Buffer.from(Uint8ClampedArray.from(sum).buffer);
}

/**
 * Generates JPEGs of 24 megapixels in `dir`, every seventh progressive, and returns their paths.
 */
export async function makeImages(dir: string, count: number): Promise<string[]> {
  const files: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const [left, top] = [width / 2, height / 2];
    const raw = { width: left, height: top, channels: 3 } as const;
    const quarter = sharp(await paintQuarter(n * 7919), { raw });
    const file = join(dir, `picture-${n}.jpg`);
    const mirrored = [
      { image: quarter.clone(), left: 0, top: 0 },
      { image: quarter.clone().flop(), left, top: 0 },
      { image: quarter.clone().flip(), left: 0, top },
      { image: quarter.clone().flip().flop(), left, top },
    ];
    const parts = mirrored.map(async ({ image, left: x, top: y }) => {
      const input = await image.raw().toBuffer();
      return { input, raw, left: x, top: y };
    });
    await sharp({ create: { width, height, channels: 3, background: "black" } })
      .composite(await Promise.all(parts))
      .jpeg({ quality: 95, progressive: n % 7 === 0 })
      .toFile(file);
    files.push(file);
  }
  return files;
}
