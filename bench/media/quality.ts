/**
 * Compares the files that visitors get with those of sharp's and Squoosh's defaults, made of the same
 * pixels: bytes at equal SSIM and at equal butteraugli, and processor time, as ratios. Photos are compared
 * at one width; drawings as they are, where equal quality means that SSIM is at least as high.
 *
 *   node bench/media/quality.ts FOLDER [--width=800] [--json]
 *
 * FOLDER contains images. SSIM is that of ffmpeg in 4:4:4, all planes; butteraugli is the one that
 * Squoosh's library contains, the largest difference of an image. For each image and format of a
 * competitor, our encoder's quality is varied until its SSIM or butteraugli is the competitor's, and bytes
 * are interpolated between the two nearest; so a ratio below 1 is lighter at equal quality. Squoosh's
 * files come from its own codecs (@jsquash) with its own defaults; they run as WebAssembly, as they do in a
 * browser, which costs them processor time.
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
import { openSquoosh, type Rgba } from "./squoosh.ts";

// The pipeline reads only files.
sharp.unblock({ operation: ["VipsForeignLoad"] });
sharp.concurrency(1);
sharp.cache(false);

interface Image {
  data: Buffer;
  width: number;
  height: number;
}

/** Measures of similarity; higher is better. */
type Measure = "ssim" | "butteraugli";

interface Encoding extends Record<Measure, number> {
  bytes: number;
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

type Format = keyof typeof ours;
interface Competitor {
  format: Format;
  encode(image: Image): Promise<Buffer>;
}

const squoosh = await openSquoosh();

const rgbaOf = ({ data, width, height }: Image): Rgba => {
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let at = 0; at < width * height; at += 1) {
    rgba.set(data.subarray(at * 3, at * 3 + 3), at * 4);
  }
  return { data: rgba, width, height };
};

const competitors: Record<string, Competitor> = {
  "sharp JPEG": { format: "jpeg", encode: (image) => open(image).jpeg().toBuffer() },
  "sharp WebP": { format: "webp", encode: (image) => open(image).webp().toBuffer() },
  "sharp AVIF": { format: "avif", encode: (image) => open(image).avif().toBuffer() },
  "Squoosh JPEG": { format: "jpeg", encode: (image) => squoosh.encode("jpeg", rgbaOf(image)) },
  "Squoosh WebP": { format: "webp", encode: (image) => squoosh.encode("webp", rgbaOf(image)) },
  "Squoosh AVIF": { format: "avif", encode: (image) => squoosh.encode("avif", rgbaOf(image)) },
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

async function measure(
  image: Image,
  encode: () => Promise<Buffer>,
  dir: string,
): Promise<Encoding> {
  const before = process.cpuUsage();
  const data = await encode();
  const { user, system } = process.cpuUsage(before);
  const ssim = await ssimOf(image, data, dir);
  const comparator = squoosh.makeButteraugli(rgbaOf(image));
  const butteraugli = -comparator.distance(rgbaOf(await pixelsOf(sharp(data))));
  comparator.free();
  return { bytes: data.length, ssim, butteraugli, cpu: (user + system) / 1000 };
}

/** Our encodings of one image in one format, each quality encoded once. */
function makeOurs(image: Image, format: Format, dir: string) {
  const { encode, quality: usual } = ours[format];
  const known = new Map<number, Encoding>();
  const at = async (quality: number): Promise<Encoding> => {
    const make = () => encode(open(image), quality).toBuffer();
    const found = known.get(quality) ?? (await measure(image, make, dir));
    known.set(quality, found);
    return found;
  };
  return {
    usual: () => at(usual),
    /** Bytes at this value of a measure, between the two nearest qualities. */
    async bytesAt(by: Measure, value: number): Promise<number> {
      let [low, high] = [10, 100];
      while (high - low > 1) {
        const middle = Math.round((low + high) / 2);
        if ((await at(middle))[by] < value) low = middle;
        else high = middle;
      }
      const [below, above] = [await at(low), await at(high)];
      const share = (value - below[by]) / (above[by] - below[by] || 1);
      return below.bytes + Math.min(1, Math.max(0, share)) * (above.bytes - below.bytes);
    },
  };
}

const geometricMean = (values: number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
const round = (value: number): number => Math.round(value * 1000) / 1000;

type Row = Record<"bytes at equal SSIM" | "bytes at equal butteraugli" | "cpu", number>;

async function photographs(images: Image[], dir: string): Promise<Record<string, Row>> {
  const own = new Map(
    images.map((image) => {
      const formats = { jpeg: "jpeg", webp: "webp", avif: "avif" } as const;
      const made = Object.values(formats).map(
        (name) => [name, makeOurs(image, name, dir)] as const,
      );
      return [image, new Map<Format, ReturnType<typeof makeOurs>>(made)];
    }),
  );
  const rows: Record<string, Row> = {};
  for (const [name, { format, encode }] of Object.entries(competitors)) {
    const [ssim, butteraugli, cpu]: [number[], number[], number[]] = [[], [], []];
    for (const image of images) {
      const mine = own.get(image)?.get(format) ?? makeOurs(image, format, dir);
      const theirs = await measure(image, () => encode(image), dir);
      ssim.push((await mine.bytesAt("ssim", theirs.ssim)) / theirs.bytes);
      butteraugli.push((await mine.bytesAt("butteraugli", theirs.butteraugli)) / theirs.bytes);
      cpu.push((await mine.usual()).cpu / theirs.cpu);
    }
    rows[name] = {
      "bytes at equal SSIM": round(geometricMean(ssim)),
      "bytes at equal butteraugli": round(geometricMean(butteraugli)),
      cpu: round(geometricMean(cpu)),
    };
  }
  return rows;
}

/** AVIF as visitors get it, made of the stored JPEG, against the WebP variant made of the pixels. */
async function avifAgainstWebp(sources: Image[], width: number, dir: string) {
  const found: { bytes: number; ssim: number }[] = [];
  for (const source of sources) {
    const image = await pixelsOf(open(source).resize({ width: Math.min(width, source.width) }));
    const make = () => ours.webp.encode(open(image), ours.webp.quality).toBuffer();
    const webp = await measure(image, make, dir);
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
    const { megapixels, avifMegapixels, heicMegapixels, frames, animationMegapixels } =
      defaultLimits.media;
    const type = requireMedia(await readHead(file));
    if (type.kind !== "image") continue;
    const limits = { megapixels, avifMegapixels, heicMegapixels, frames, animationMegapixels };
    const task = { task: "convert", file, format: type.format, outDir: dir, limits } as const;
    const result = await convertImage({ ...task, stem: `drawing-${at}` });
    if (result.mime !== "image/webp" || result.hasAlpha || result.animated) continue;
    const box = { width: 1600, height: 1600, fit: "inside", withoutEnlargement: true } as const;
    const image = await pixelsOf(sharp(file).autoOrient().resize(box));
    if (image.width < 16 || image.height < 16) continue;
    const theirs = await measure(image, () => open(image).jpeg().toBuffer(), dir);
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
  console.log(`Ours ÷ theirs at ${width} px: bytes at equal quality, processor time as configured`);
  console.table(result.photographs);
  console.log("AVIF of stored images ÷ WebP variants:", result.avifAgainstWebp);
  console.log("Stored drawings ÷ sharp's JPEG:", result.drawingsAgainstJpeg);
}
