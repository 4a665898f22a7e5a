/**
 * Compares the files that visitors get with those of sharp's and Squoosh's defaults, made of the same
 * pixels: bytes at equal SSIM, and processor time, as ratios. Photos are compared at one width; drawings
 * as they are, where equal quality means that SSIM is at least as high.
 *
 *   node bench/media/quality.ts FOLDER [--width=800] [--json]
 *
 * FOLDER contains images. SSIM is that of ffmpeg in 4:4:4, all planes. For each image and format of a
 * competitor, our encoder's quality is varied until its SSIM is the competitor's, and bytes are
 * interpolated between the two nearest; so a ratio below 1 is lighter at equal quality. Squoosh encodes
 * JPEG with mozjpeg q75, WebP with q75 at effort 4, and AVIF with q50 at speed 6.
 */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp, { type Sharp } from "sharp";
import { convertImage } from "../../packages/server/src/features/media/image/convert.ts";
import { readHead, requireMedia } from "../../packages/server/src/features/media/media-type.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { tempFolder } from "../../test/support/temp.ts";

// The pipeline reads only files.
sharp.unblock({ operation: ["VipsForeignLoad"] });
sharp.concurrency(1);
sharp.cache(false);

interface Image {
  data: Buffer;
  width: number;
  height: number;
}

interface Encoding {
  bytes: number;
  ssim: number;
  /** Processor time in ms. */
  cpu: number;
}

type Encoder = (image: Sharp, quality: number) => Sharp;

/** As features/media/image/encode.ts and avif.ts encode photographs, with their quality. */
const ours: Record<"jpeg" | "webp" | "avif", { encode: Encoder; quality: number }> = {
  jpeg: {
    quality: 78,
    encode: (image, quality) =>
      image.jpeg({
        quality,
        progressive: true,
        trellisQuantisation: true,
        overshootDeringing: true,
        optimiseScans: false,
        quantisationTable: 3,
      }),
  },
  webp: { quality: 80, encode: (image, quality) => image.webp({ quality, effort: 4 }) },
  avif: {
    quality: 64,
    encode: (image, quality) => image.avif({ quality, effort: 3 }),
  },
};

const competitors: Record<string, { format: keyof typeof ours; encode(image: Sharp): Sharp }> = {
  "sharp JPEG": { format: "jpeg", encode: (image) => image.jpeg() },
  "sharp WebP": { format: "webp", encode: (image) => image.webp() },
  "sharp AVIF": { format: "avif", encode: (image) => image.avif() },
  "Squoosh JPEG": {
    format: "jpeg",
    encode: (image) => image.jpeg({ mozjpeg: true, quality: 75 }),
  },
  "Squoosh WebP": { format: "webp", encode: (image) => image.webp({ quality: 75, effort: 4 }) },
  "Squoosh AVIF": {
    format: "avif",
    encode: (image) => image.avif({ quality: 50, effort: 3, chromaSubsampling: "4:2:0" }),
  },
};

const open = ({ data, width, height }: Image): Sharp =>
  sharp(data, { raw: { width, height, channels: 3 } });

async function pixelsOf(image: Sharp): Promise<Image> {
  const srgb = image.toColourspace("srgb").removeAlpha().raw({ depth: "uchar" });
  const { data, info } = await srgb.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

async function ssimOf(image: Image, encoded: Buffer, dir: string): Promise<number> {
  const [before, after] = [join(dir, "before.rgb"), join(dir, "after.rgb")];
  await writeFile(before, image.data);
  await writeFile(after, (await pixelsOf(sharp(encoded))).data);
  const size = `${image.width}x${image.height}`;
  const input = (file: string) => ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-i", file];
  const planes = "[0]format=yuv444p[a];[1]format=yuv444p[b];[a][b]ssim";
  const words = ["-hide_banner", ...input(before), ...input(after), "-lavfi", planes];
  const { stderr } = await run("ffmpeg", [...words, "-f", "null", "-"], { timeoutMs: 60_000 });
  const found = /SSIM .*All:([\d.]+)/.exec(stderr)?.[1];
  if (found === undefined) throw new Error(`ffmpeg measured nothing: ${stderr.slice(-300)}`);
  return Number(found);
}

async function measure(image: Image, encoder: Sharp, dir: string): Promise<Encoding> {
  const before = process.cpuUsage();
  const data = await encoder.toBuffer();
  const { user, system } = process.cpuUsage(before);
  const ssim = await ssimOf(image, data, dir);
  return { bytes: data.length, ssim, cpu: (user + system) / 1000 };
}

/** Bytes of our encoder at this SSIM, between the two nearest qualities. */
async function bytesAt(
  image: Image,
  { encode, ssim }: { encode: Encoder; ssim: number },
  dir: string,
): Promise<number> {
  let [low, high] = [20, 98];
  const known = new Map<number, Encoding>();
  const at = async (quality: number) => {
    const found = known.get(quality) ?? (await measure(image, encode(open(image), quality), dir));
    known.set(quality, found);
    return found;
  };
  while (high - low > 1) {
    const middle = Math.round((low + high) / 2);
    if ((await at(middle)).ssim < ssim) low = middle;
    else high = middle;
  }
  const [below, above] = [await at(low), await at(high)];
  const share = (ssim - below.ssim) / (above.ssim - below.ssim || 1);
  return below.bytes + Math.min(1, Math.max(0, share)) * (above.bytes - below.bytes);
}

const geometricMean = (values: number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
const round = (value: number): number => Math.round(value * 1000) / 1000;

async function photographs(images: Image[], dir: string) {
  const rows: Record<string, { bytes: number; cpu: number; images: number }> = {};
  for (const [name, { format, encode }] of Object.entries(competitors)) {
    const own = ours[format];
    const [bytes, cpu]: [number[], number[]] = [[], []];
    for (const image of images) {
      const theirs = await measure(image, encode(open(image)), dir);
      const mine = await measure(image, own.encode(open(image), own.quality), dir);
      bytes.push(
        (await bytesAt(image, { encode: own.encode, ssim: theirs.ssim }, dir)) / theirs.bytes,
      );
      cpu.push(mine.cpu / theirs.cpu);
    }
    rows[name] = {
      bytes: round(geometricMean(bytes)),
      cpu: round(geometricMean(cpu)),
      images: images.length,
    };
  }
  return rows;
}

/** AVIF as visitors get it, made of the stored JPEG, against the WebP variant made of the pixels. */
async function avifAgainstWebp(sources: Image[], width: number, dir: string) {
  const found: { bytes: number; ssim: number }[] = [];
  for (const source of sources) {
    const image = await pixelsOf(open(source).resize({ width: Math.min(width, source.width) }));
    const webp = await measure(image, ours.webp.encode(open(image), ours.webp.quality), dir);
    const stored = await ours.jpeg.encode(open(source), ours.jpeg.quality).toBuffer();
    const small = await pixelsOf(sharp(stored).resize({ width: image.width }));
    const data = await ours.avif.encode(open(small), ours.avif.quality).toBuffer();
    found.push({
      bytes: data.length / webp.bytes,
      ssim: (await ssimOf(image, data, dir)) - webp.ssim,
    });
  }
  const ssim = found.reduce((sum, each) => sum + each.ssim, 0) / found.length;
  return {
    bytes: round(geometricMean(found.map((each) => each.bytes))),
    ssimDifference: round(ssim),
  };
}

/** Drawings as they are stored, against the JPEG that sharp would make of the same pixels. */
async function drawings(files: string[], dir: string) {
  const ratios: number[] = [];
  let better = 0;
  for (const [at, file] of files.entries()) {
    const { megapixels, avifMegapixels, frames, animationMegapixels } = defaultLimits.media;
    const type = requireMedia(await readHead(file));
    if (type.kind !== "image") continue;
    const limits = { megapixels, avifMegapixels, frames, animationMegapixels };
    const task = { task: "convert", file, format: type.format, outDir: dir, limits } as const;
    const result = await convertImage({ ...task, stem: `drawing-${at}` });
    if (result.mime !== "image/webp" || result.hasAlpha || result.animated) continue;
    const box = { width: 1600, height: 1600, fit: "inside", withoutEnlargement: true } as const;
    const image = await pixelsOf(sharp(file).autoOrient().resize(box));
    if (image.width < 16 || image.height < 16) continue;
    const theirs = await measure(image, open(image).jpeg(), dir);
    const stored = await sharp(join(dir, result.file)).toFormat("png").toBuffer();
    ratios.push(result.bytes / theirs.bytes);
    if ((await ssimOf(image, stored, dir)) >= theirs.ssim) better += 1;
  }
  if (ratios.length === 0) return null;
  return { images: ratios.length, bytes: round(geometricMean(ratios)), atLeastAsGood: better };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: "string", default: "800" },
    json: { type: "boolean", default: false },
  },
});
const [source] = positionals;
if (source === undefined) throw new Error("Name a folder of images.");
await using folder = await tempFolder();
const files = (await readdir(source)).toSorted().map((name) => join(source, name));
const width = Number(values.width);
const box = { width: 1600, height: 1600, fit: "inside", withoutEnlargement: true } as const;
const [photos, drawn]: [Image[], string[]] = [[], []];
for (const file of files) {
  const { format } = await sharp(file).metadata();
  if (format === "jpeg") photos.push(await pixelsOf(sharp(file).autoOrient().resize(box)));
  else drawn.push(file);
}
const small = await Promise.all(
  photos.map((photo) => pixelsOf(open(photo).resize({ width: Math.min(width, photo.width) }))),
);
const result = {
  photographs: await photographs(small, folder.path),
  avifAgainstWebp: await avifAgainstWebp(photos, width, folder.path),
  drawingsAgainstJpeg: await drawings(drawn, folder.path),
};
if (values.json) console.log(JSON.stringify(result));
else {
  console.log(`Ours ÷ theirs at ${width} px: bytes at equal SSIM, processor time as configured`);
  console.table(result.photographs);
  console.log("AVIF of stored images ÷ WebP variants:", result.avifAgainstWebp);
  console.log("Stored drawings ÷ sharp's JPEG:", result.drawingsAgainstJpeg);
}
