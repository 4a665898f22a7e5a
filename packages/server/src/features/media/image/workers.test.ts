import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { grayHeic } from "../../../../../../test/support/heic-bytes.ts";
import { silentLog } from "../../../../../../test/support/media-library.ts";
import {
  animatedGif,
  flatPng,
  gifColors,
  halves,
  noise,
  plainGif,
  pngChunk,
  withChunks,
} from "../../../../../../test/support/image-bytes.ts";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import type { AppError } from "../../../kit/errors.ts";
import { run } from "../../../platform/process.ts";
import { defaultLimits } from "../../../platform/config.ts";
import { processTree } from "../../../platform/process-tree.ts";
import { type ImageWorkers, type ImageWorkersOptions, makeImageWorkers } from "./workers.ts";

let folder: TempFolder;
let shared: ImageWorkers;
const openWorkers: ImageWorkers[] = [];

const usual = (): ImageWorkersOptions => ({
  limits: defaultLimits.media,
  log: silentLog,
  dir: join(folder.path, "workers"),
});

beforeAll(async () => {
  folder = await tempFolder();
  shared = makeImageWorkers(usual());
});
afterEach(async () => {
  for (const images of openWorkers.splice(0)) await images.close();
});
afterAll(async () => {
  await shared.close();
  await folder.remove();
});

function workers(options: Partial<ImageWorkersOptions> = {}): ImageWorkers {
  const images = makeImageWorkers({ ...usual(), ...options });
  openWorkers.push(images);
  return images;
}

/** What a promise fails with. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "nothing",
    (error: unknown) => error,
  );
}

async function put(data: Uint8Array) {
  const outDir = await mkdtemp(join(folder.path, "job-"));
  const file = join(outDir, "original");
  await writeFile(file, data);
  return { file, outDir, stem: "stem" };
}

async function convert(data: Uint8Array, images = shared) {
  const job = await put(data);
  const result = await images.convert(job);
  const main = await readFile(join(job.outDir, result.file));
  return { result, main, metadata: await sharp(main, { animated: true }).metadata(), job };
}

/** The color of the pixel at this place, the sizes being shares of the whole. */
async function colorAt(data: Buffer, x: number, y: number): Promise<number[]> {
  const { width, height } = await sharp(data).metadata();
  const left = Math.round(x * (width - 1));
  const top = Math.round(y * (height - 1));
  const pixel = sharp(data).extract({ left, top, width: 1, height: 1 }).removeAlpha();
  return [...(await pixel.toColourspace("srgb").raw().toBuffer())];
}

function expectColor(actual: number[], expected: number[], tolerance = 6): void {
  actual.forEach((value, at) => {
    expect(
      Math.abs(value - (expected[at] ?? 0)),
      `${actual} is not ${expected}`,
    ).toBeLessThanOrEqual(tolerance);
  });
}

/** Numbers as PNG writes them. */
function uint32(...numbers: number[]): Buffer {
  const data = Buffer.alloc(numbers.length * 4);
  for (const [at, number] of numbers.entries()) data.writeUInt32BE(number, at * 4);
  return data;
}

const red = [220, 30, 30];
const blue = [30, 30, 220];

describe("what is made of an image", () => {
  it("is a progressive JPEG inside 1600 px with smaller WebPs beside it and a placeholder", async () => {
    const source = await noise(2400, 1800).blur(3).jpeg({ quality: 95 }).toBuffer();
    const { result, main, metadata, job } = await convert(source);
    expect(result).toMatchObject({
      file: "stem.jpg",
      mime: "image/jpeg",
      bytes: main.length,
      width: 1600,
      height: 1200,
      hasAlpha: false,
      animated: false,
      frames: 1,
      warnings: [],
    });
    expect(metadata).toMatchObject({ format: "jpeg", width: 1600, isProgressive: true });
    expect(result.variants.map((variant) => variant.width)).toEqual([480, 800, 1200]);
    for (const variant of result.variants) {
      const data = await readFile(join(job.outDir, variant.file));
      expect(data.length).toBe(variant.bytes);
      const { format, width, height } = await sharp(data).metadata();
      expect({ format, width, height }).toEqual({
        format: "webp",
        width: variant.width,
        height: variant.width * 0.75,
      });
    }
    expect(result.placeholder).toMatch(/^data:image\/webp;base64,[\w+/=]{40,400}$/);
    const names = (await readdir(job.outDir)).toSorted();
    expect(names).toEqual([
      "original",
      "stem-1200.webp",
      "stem-480.webp",
      "stem-800.webp",
      "stem.jpg",
    ]);
  });

  it("is never larger than it came", async () => {
    const { result } = await convert(await noise(500, 20).png().toBuffer());
    expect(result).toMatchObject({ width: 500, height: 20 });
    expect(result.variants.map((variant) => variant.width)).toEqual([480]);
    expect((await convert(await noise(1, 1).png().toBuffer())).result.variants).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "stands upright with EXIF orientation %i",
    async (orientation) => {
      // Upright, the left half is red; each orientation undone gives what a camera would have stored.
      const upright = halves(60, 40, red, blue);
      const png = await upright.png().toBuffer();
      const turned: Record<number, Sharp> = {
        1: sharp(png),
        2: sharp(png).flop(),
        3: sharp(png).rotate(180),
        4: sharp(png).flip(),
        5: sharp(await sharp(png).rotate(90).toBuffer()).flop(),
        6: sharp(png).rotate(270),
        7: sharp(await sharp(png).rotate(270).toBuffer()).flop(),
        8: sharp(png).rotate(90),
      };
      const stored = turned[orientation] ?? sharp(png);
      const source = await stored.withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
      const { result, main, metadata } = await convert(source);
      expect(result).toMatchObject({ width: 60, height: 40 });
      expect(metadata.orientation).toBeUndefined();
      expectColor(await colorAt(main, 0.1, 0.5), red, 12);
      expectColor(await colorAt(main, 0.9, 0.5), blue, 12);
    },
  );

  it("keeps transparency as WebP, and tells it from an alpha channel that hides nothing", async () => {
    const clear = await convert(
      await halves(600, 300, [...red, 255], [...blue, 0])
        .png()
        .toBuffer(),
    );
    expect(clear.result).toMatchObject({
      file: "stem.webp",
      hasAlpha: true,
      placeholder: null,
      animated: false,
    });
    expect(clear.metadata.hasAlpha).toBe(true);
    const variant = join(clear.job.outDir, clear.result.variants[0]?.file ?? "");
    expect((await sharp(variant).metadata()).hasAlpha).toBe(true);

    const opaque = halves(300, 200, [...red, 255], [...blue, 255]);
    const full = await convert(await opaque.png().toBuffer());
    expect(full.result).toMatchObject({ file: "stem.webp", hasAlpha: false });
    expect(full.metadata.hasAlpha).toBe(false);
    expectColor(await colorAt(full.main, 0.2, 0.5), red, 0);

    const gray = sharp(Buffer.from([100, 255, 100, 254]), {
      raw: { width: 2, height: 1, channels: 2 },
    });
    expect((await convert(await gray.png().toBuffer())).result.hasAlpha).toBe(true);
  });

  it("keeps the colors of 16 bits a channel with a profile", async () => {
    const deep = (profile: string) =>
      halves(40, 20, red, blue).toColourspace("rgb16").withIccProfile(profile);
    for (const source of [
      await deep("srgb").png().toBuffer(),
      await deep("p3").png().toBuffer(),
      await deep("p3").tiff({ compression: "deflate" }).toBuffer(),
    ]) {
      expect(await sharp(source).metadata()).toMatchObject({ depth: "ushort", hasProfile: true });
      const { main } = await convert(source);
      expectColor(await colorAt(main, 0.1, 0.5), red, 4);
      expectColor(await colorAt(main, 0.9, 0.5), blue, 4);
    }
  });

  it.each([
    // As Chromium shows them. By their formulas: light of (100 / 255) ** (1 / 1) is 168 in sRGB.
    ["linear light", [pngChunk("gAMA", uint32(100_000))], [168, 168, 168]],
    ["the gamma of old Macs", [pngChunk("gAMA", uint32(55_556))], [119, 119, 119]],
    ["sRGB's gamma alone", [pngChunk("gAMA", uint32(45_455))], [100, 100, 100]],
    ["a gamma that makes no sense", [pngChunk("gAMA", uint32(0))], [100, 100, 100]],
    ["PQ", [pngChunk("cICP", Buffer.from([9, 16, 0, 1]))], [76, 76, 76]],
    ["HLG", [pngChunk("cICP", Buffer.from([9, 18, 0, 1]))], [74, 74, 74]],
  ] as const)("shows a PNG that says %s as browsers do", async (_name, chunks, expected) => {
    const gray = await halves(40, 20, [100, 100, 100], [100, 100, 100]).png().toBuffer();
    const { main, metadata } = await convert(withChunks(gray, ...chunks));
    expect(metadata.format).toBe("webp");
    expectColor(await colorAt(main, 0.5, 0.5), [...expected], 2);
  });

  it.each([
    ["Display P3", [12, 13, 0, 1]],
    ["PQ", [9, 16, 0, 1]],
    ["sRGB", [1, 13, 0, 1]],
  ] as const)("goes by a PNG's code of %s before its profile", async (_name, codes) => {
    const code = pngChunk("cICP", Buffer.from(codes));
    const color = halves(40, 20, [200, 50, 50], [200, 50, 50]);
    const profiled = await color.withIccProfile("p3").png().toBuffer();
    // The same pixels without the profile, which has changed their numbers.
    const plain = await sharp(profiled, { ignoreIcc: true }).png().toBuffer();
    expect((await sharp(plain).metadata()).icc).toBeUndefined();
    const shown = async (png: Buffer) =>
      colorAt((await convert(withChunks(png, code))).main, 0.5, 0.5);
    expect(await shown(profiled)).toEqual(await shown(plain));
  });

  it("shows a PNG in the primaries that it names, and keeps its transparency", async () => {
    const p3 = uint32(31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6000);
    const chunks = [pngChunk("gAMA", uint32(45_455)), pngChunk("cHRM", p3)];
    const color = [200, 100, 50];
    const half = await halves(40, 20, [...color, 255], [...color, 0])
      .png()
      .toBuffer();
    const { result, main } = await convert(withChunks(half, ...chunks));
    expect(result.hasAlpha).toBe(true);
    expectColor(await colorAt(main, 0.1, 0.5), [216, 93, 24], 2);
    const nonsense = pngChunk("cHRM", Buffer.alloc(32));
    const gray = await halves(40, 20, [100, 100, 100], [100, 100, 100]).png().toBuffer();
    const plain = await convert(withChunks(gray, nonsense));
    expectColor(await colorAt(plain.main, 0.5, 0.5), [100, 100, 100], 2);
  });

  it.each([
    ["PQ", 16, [76, 76, 76]],
    ["HLG", 18, [74, 74, 74]],
  ] as const)("shows an AVIF in %s as browsers do", async (_name, transfer, expected) => {
    const gray = halves(40, 20, [100, 100, 100], [100, 100, 100]);
    const avif = await gray.avif({ lossless: true }).toBuffer();
    const at = avif.indexOf("colrnclx", 0, "latin1") + 8;
    avif.writeUInt16BE(9, at);
    avif.writeUInt16BE(transfer, at + 2);
    const { main, metadata } = await convert(avif);
    expect(metadata.format).toBe("jpeg");
    expectColor(await colorAt(main, 0.5, 0.5), [...expected], 2);
  });

  it.each([
    // Of 10 bits in video range, 572 is 148 of 8 in full range: the same in SDR.
    ["BT.709", [1, 13, 9], [148, 148, 148]],
    ["PQ", [9, 16, 9], [187, 187, 187]],
  ] as const)("shows a HEIC in %s as browsers do", async (_name, [...codes], expected) => {
    const { main, result } = await convert(grayHeic(codes));
    expect(result).toMatchObject({ width: 64, height: 64, hasAlpha: false });
    expectColor(await colorAt(main, 0.5, 0.5), [...expected], 2);
  });

  it("keeps a GIF transparent where nothing is drawn or a frame was cleared", async () => {
    const whole: [number, number, number, number] = [0, 0, 60, 60];
    const alphas = async (data: Buffer, page: number) => {
      const frame = sharp(data, { page }).ensureAlpha();
      const at = (left: number, top: number) =>
        frame.clone().extract({ left, top, width: 1, height: 1 }).raw().toBuffer();
      return [[...(await at(50, 5))], [...(await at(15, 15))], [...(await at(35, 35))]];
    };
    const clear = [0, 0, 0, 0];
    const opaque = (color: number) => [...(gifColors[color] ?? []), 255];
    const cleared = await convert(
      plainGif(60, 60, [
        { at: whole, color: 1, disposal: 1 },
        { at: [10, 10, 20, 20], color: 2, disposal: 2 },
        { at: [30, 30, 20, 20], color: 3, disposal: 1 },
      ]),
    );
    expect(cleared.result).toMatchObject({ frames: 3, hasAlpha: true });
    expect(cleared.metadata.pages).toBe(3);
    expect(await alphas(cleared.main, 1)).toEqual([opaque(1), opaque(2), opaque(1)]);
    expect(await alphas(cleared.main, 2)).toEqual([opaque(1), clear, opaque(3)]);

    const partial = await convert(
      plainGif(60, 60, [{ at: [10, 10, 20, 20], color: 1, disposal: 1 }]),
    );
    expect(partial.result).toMatchObject({ animated: false, hasAlpha: true });
    expect(await alphas(partial.main, 0)).toEqual([clear, opaque(1), clear]);

    const full = await convert(
      plainGif(60, 60, [
        { at: whole, color: 1, disposal: 2 },
        { at: whole, color: 2, disposal: 2 },
      ]),
    );
    expect(full.result).toMatchObject({ frames: 2, hasAlpha: false });
  });

  it("keeps the edges of small drawings with transparency as sharp as they are", async () => {
    const icon = halves(32, 32, [255, 0, 0, 255], [0, 0, 255, 255]);
    const corner = { create: { width: 8, height: 8, channels: 4, background: "#0000" } } as const;
    const source = await icon
      .composite([{ input: await sharp(corner).png().toBuffer(), blend: "dest-out" }])
      .extend({ left: 4, background: "#0000" })
      .png()
      .toBuffer();
    const { main } = await convert(source);
    const pixels = (data: Buffer) => sharp(data).ensureAlpha().raw().toBuffer();
    expect((await pixels(main)).equals(await pixels(source))).toBe(true);
  });

  it("says that an animated PNG keeps only its first frame", async () => {
    const png = await halves(40, 20, red, blue).png().toBuffer();
    const { result } = await convert(withChunks(png, pngChunk("acTL", uint32(12, 0))));
    expect(result.warnings).toEqual([expect.stringContaining("export it as GIF or WebP")]);
  });

  it("says that a TIFF with several pages keeps only its first", async () => {
    const pages = noise(20, 30).tiff({ compression: "none" });
    const single = await pages.toBuffer();
    expect((await convert(single)).result.warnings).toEqual([]);
    // A copy of the first index, at the end, is the one of a second page.
    const index = single.readUInt32LE(4);
    const end = index + 2 + single.readUInt16LE(index) * 12;
    const second = Buffer.concat([single.subarray(index, end), Buffer.alloc(4)]);
    const double = Buffer.concat([single, Buffer.alloc(single.length % 2), second]);
    double.writeUInt32LE(double.length - second.length, end);
    const { warnings } = (await convert(double)).result;
    expect(warnings).toEqual(["Only the first page of this TIFF is kept."]);
  });

  it("says that an AVIF sequence keeps only its first frame", async () => {
    const file = join(folder.path, "animated.avif");
    const source = ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=5", "-frames:v", "3"];
    await run("/usr/bin/ffmpeg", ["-v", "error", ...source, "-c:v", "libaom-av1", file]);
    expect((await convert(await noise(20, 30).avif().toBuffer())).result.warnings).toEqual([]);
    expect((await convert(await readFile(file))).result.warnings).toEqual([
      expect.stringContaining("Only the first frame of this animated AVIF is kept."),
    ]);
  });

  it("keeps an animation with its frames, delays and loop", async () => {
    const { result, metadata } = await convert(await animatedGif(600, 40, 7));
    expect(result).toMatchObject({
      file: "stem.webp",
      animated: true,
      frames: 7,
      width: 600,
      height: 40,
    });
    expect(metadata).toMatchObject({ pages: 7, pageHeight: 40, loop: 0 });
    expect(metadata.delay).toEqual(Array.from({ length: 7 }, () => 80));
    expect(result.variants.map((variant) => variant.width)).toEqual([480]);
  });

  it("keeps frames that look the same, with their times, even where all do", async () => {
    const frame = 40 * 30 * 3;
    const video = async (shades: number[]) => {
      const data = Buffer.concat(shades.map((shade) => Buffer.alloc(frame, shade)));
      const raw = { width: 40, height: 30 * shades.length, channels: 3, pageHeight: 30 } as const;
      const delay = shades.map((_shade, at) => 100 + 20 * at);
      return sharp(data, { raw }).gif({ delay, loop: 3, keepDuplicateFrames: true }).toBuffer();
    };
    for (const shades of [
      [10, 10, 200, 200, 200, 90],
      [50, 50, 50],
    ]) {
      const { result, main, metadata } = await convert(await video(shades));
      const delay = shades.map((_shade, at) => 100 + 20 * at);
      expect(result).toMatchObject({ animated: true, frames: shades.length, height: 30 });
      expect(metadata).toMatchObject({ pages: shades.length, delay, loop: 3, pageHeight: 30 });
      const pixels = await sharp(main, { animated: true }).removeAlpha().raw().toBuffer();
      expectColor(
        shades.map((_shade, at) => pixels[at * frame + frame - 3] ?? 0),
        shades,
        4,
      );
    }
  });

  it("applies the color profile and drops it", async () => {
    // In Display P3 this red is beyond sRGB: read without its profile it would come out duller.
    const wide = sharp({ create: { width: 64, height: 64, channels: 3, background: "#ff0000" } });
    const source = await wide.withIccProfile("p3").png().toBuffer();
    const { width, height, icc } = await sharp(source).metadata();
    expect(icc).toBeDefined();
    const raw = await sharp(source).toColourspace("srgb").raw().toBuffer();
    const { main, metadata } = await convert(source);
    expect(metadata).toMatchObject({ width, height });
    expect(metadata.icc).toBeUndefined();
    expectColor(await colorAt(main, 0.5, 0.5), [...raw.subarray(0, 3)]);
  });

  it.each([
    ["CMYK", () => noise(80, 60).blur(4).toColourspace("cmyk").jpeg({ quality: 95 })],
    ["16 bits", () => noise(80, 60).blur(4).toColourspace("rgb16").png()],
    ["greyscale", () => noise(80, 60).blur(4).greyscale().jpeg()],
    ["a palette", () => halves(80, 60, red, blue).png({ palette: true, colors: 4 })],
    ["TIFF", () => noise(80, 60).blur(4).tiff({ compression: "lzw" })],
    ["AVIF", () => noise(80, 60).blur(4).avif()],
    ["a still GIF", () => halves(80, 60, red, blue).gif()],
  ])("takes %s, in the colors it has", async (_name, make) => {
    const source = await make().toBuffer();
    const { result, main } = await convert(source);
    expect(result).toMatchObject({ width: 80, height: 60, hasAlpha: false });
    const before = await sharp(await sharp(source).toColourspace("srgb").png().toBuffer()).stats();
    const after = await sharp(main).toColourspace("srgb").stats();
    expectColor(
      after.channels.slice(0, 3).map((channel) => channel.mean),
      before.channels.slice(0, 3).map((channel) => channel.mean),
      4,
    );
  });

  it("keeps thin colored lines of a drawing sharp", async () => {
    const lines = Buffer.alloc(200 * 200 * 3, 255);
    for (let y = 0; y < 200; y += 1) lines.set([255, 0, 0], (y * 200 + 100) * 3);
    const drawing = sharp(lines, { raw: { width: 200, height: 200, channels: 3 } });
    const { main, metadata } = await convert(await drawing.png().toBuffer());
    expect(metadata.format).toBe("webp");
    expectColor(await colorAt(main, 100 / 199, 0.5), [255, 0, 0], 0);
  });

  it("abuse 50: carries no GPS, EXIF, profile or foreign bytes of the file that came", async () => {
    const clean = await noise(300, 200)
      .withExif({ IFD0: { Copyright: "SECRET-OWNER" }, IFD3: { GPSLatitude: "59/1 19/1 0/1" } })
      .withIccProfile("p3")
      .jpeg()
      .toBuffer();
    const html = Buffer.from("<script>alert('PAYLOAD')</script>");
    const { main, metadata, result, job } = await convert(Buffer.concat([clean, html]));
    expect(metadata.exif ?? metadata.icc ?? metadata.xmp ?? metadata.iptc).toBeUndefined();
    for (const name of [result.file, ...result.variants.map((variant) => variant.file)]) {
      const text = (await readFile(join(job.outDir, name))).toString("latin1");
      expect(text).not.toMatch(/SECRET-OWNER|PAYLOAD|GPS|Exif|ICC_PROFILE/);
    }
    expect(main.length).toBeLessThan(clean.length * 2);

    const gif = await sharp({ create: { width: 40, height: 30, channels: 3, background: "red" } })
      .gif()
      .toBuffer();
    const script = Buffer.concat([gif, Buffer.from("*/=1;alert('PAYLOAD')//")]);
    const second = await convert(script);
    expect(second.main.toString("latin1")).not.toContain("PAYLOAD");
  });

  it("makes the output that an item had before, where it is told", async () => {
    const job = await put(await noise(100, 80).jpeg().toBuffer());
    const result = await shared.convert({ ...job, output: "webp" });
    expect(result).toMatchObject({ file: "stem.webp", mime: "image/webp", hasAlpha: false });
  });
});

describe("what is refused", () => {
  it("abuse 49: a bomb, before it is decoded, in flat memory", async () => {
    const images = workers({ workers: 1 });
    const bomb = flatPng(16_384, 16_384);
    expect(bomb.length).toBeLessThan(1_000_000);
    await convert(await noise(10, 10).png().toBuffer(), images);
    const before = await childMemory();
    await expect(images.convert(await put(bomb))).rejects.toMatchObject({
      code: "bad_media",
      details: { reason: "too_many_pixels" },
    });
    expect((await childMemory()) - before).toBeLessThan(30 * 1024);
  });

  it("abuse 49: animations with too many frames or pixels in all, AVIF and HEIC beyond their own limits", async () => {
    const limits = {
      ...defaultLimits.media,
      frames: 5,
      animationMegapixels: 1,
      avifMegapixels: 0.01,
    };
    const images = workers({ limits });
    const reasons = async (data: Buffer) =>
      images.convert(await put(data)).then(
        () => "taken",
        (error: AppError) => (error.details as { reason: string }).reason,
      );
    expect(await reasons(await animatedGif(20, 20, 6))).toBe("animation_too_large");
    expect(await reasons(await animatedGif(520, 500, 4))).toBe("animation_too_large");
    expect(await reasons(await noise(200, 200).avif().toBuffer())).toBe("too_many_pixels");
    expect(await reasons(await noise(200, 200).png().toBuffer())).toBe("taken");
    const smallest = workers({ limits: { ...limits, avifMegapixels: 0.001 } });
    await expect(convert(grayHeic(), smallest)).resolves.toMatchObject({ result: { width: 64 } });
    const smaller = workers({ limits: { ...limits, heicMegapixels: 0.001 } });
    await expect(convert(grayHeic(), smaller)).rejects.toMatchObject({
      details: { reason: "too_many_pixels" },
    });
    // A photo of an iPhone with all of its pixels.
    expect(defaultLimits.media.heicMegapixels * 1_000_000).toBeGreaterThan(8064 * 6048);
  });

  it.each([
    ["jpeg", 0.6],
    ["png", 0.6],
    ["webp", 0.6],
    ["tiff", 0.6],
    ["jpeg", 0.02],
    ["png", 0.004],
  ] as const)("a %s that ends after %d of it", async (format, share) => {
    const whole = await noise(300, 300).toFormat(format).toBuffer();
    const job = await put(whole.subarray(0, Math.floor(whole.length * share)));
    await expect(shared.convert(job)).rejects.toMatchObject({
      code: "bad_media",
      details: { reason: "corrupt" },
    });
    expect(await readdir(job.outDir)).toEqual(["original"]);
  });

  it("a TIFF with the old kind of JPEG, which can't be decoded", async () => {
    const jpeg = await halves(32, 32, red, blue).jpeg().toBuffer();
    const header = Buffer.alloc(8 + 2 + 9 * 12 + 4);
    header.write("II*\0\b\0\0\0\t\0", "latin1");
    const entries = [
      [256, 32],
      [257, 32],
      [258, 8],
      [259, 6],
      [262, 6],
      [273, header.length],
      [277, 3],
      [278, 32],
      [279, jpeg.length],
    ];
    for (const [at, [tag = 0, value = 0]] of entries.entries()) {
      header.writeUInt16LE(tag, 10 + at * 12);
      header.writeUInt16LE(4, 12 + at * 12);
      header.writeUInt32LE(1, 14 + at * 12);
      header.writeUInt32LE(value, 18 + at * 12);
    }
    const job = await put(Buffer.concat([header, jpeg]));
    await expect(shared.convert(job)).rejects.toMatchObject({
      code: "bad_media",
      details: { reason: "undecodable" },
      message: expect.stringContaining("Export it as PNG or JPEG"),
    });
    expect(await readdir(job.outDir)).toEqual(["original"]);
  });

  it.each([
    ["the thumbnail of another image", 254, 1],
    ["a DNG", 50_706, 1],
    ["the values of a sensor", 262, 32_803],
  ])("abuse 48: a TIFF that is %s, raw data of a camera", async (_name, tag, value) => {
    const thumbnail = await halves(16, 12, red, blue).tiff({ compression: "none" }).toBuffer();
    const index = thumbnail.readUInt32LE(4);
    const count = thumbnail.readUInt16LE(index);
    const places = Array.from({ length: count }, (_, n) => index + 2 + n * 12);
    // In place of the same tag, or of one that isn't needed.
    const at =
      places.find((place) => thumbnail.readUInt16LE(place) === tag) ??
      places.find((place) => thumbnail.readUInt16LE(place) === 274) ??
      0;
    thumbnail.writeUInt16LE(tag, at);
    thumbnail.writeUInt16LE(4, at + 2);
    thumbnail.writeUInt32LE(value, at + 8);
    await expect(convert(thumbnail)).rejects.toMatchObject({
      code: "bad_media",
      details: { reason: "undecodable" },
      message: "This is a raw camera image. Export it as JPEG.",
    });
  });

  it("abuse 47, 48: what is no image, by its bytes", async () => {
    for (const text of [
      "<svg xmlns='http://www.w3.org/2000/svg'/>",
      "<html>",
      "%PDF-1.4",
      "BM...",
    ]) {
      await expect(shared.convert(await put(Buffer.from(text)))).rejects.toMatchObject({
        code: "unsupported_media_type",
      });
    }
  });
});

describe("a drawing of an import", () => {
  const drawing = (inner: string, head = 'width="40" height="20"') =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${head}>${inner}</svg>`);
  const render = async (data: Buffer, beside: Record<string, Buffer> = {}) => {
    const job = await put(data);
    for (const [name, bytes] of Object.entries(beside)) {
      await writeFile(join(job.outDir, name), bytes);
    }
    const result = await shared.convert({ ...job, acceptsSvg: true });
    return { result, main: await readFile(join(job.outDir, result.file)), job };
  };

  /** Red, green, blue and alpha of a pixel, the places being shares of the whole. */
  const pixelAt = async (image: Buffer, x: number, y: number) => {
    const { data, info } = await sharp(image)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 4;
    return [...data.subarray(at, at + 4)];
  };

  it("is rendered, a small one larger, with what it leaves free", async () => {
    const square = '<rect width="20" height="20" fill="#f00"/>';
    const { result, main, job } = await render(drawing(`${square}<script>location="x"</script>`));
    expect(result).toMatchObject({ width: 160, height: 80, hasAlpha: true, mime: "image/webp" });
    expect(await pixelAt(main, 0.2, 0.5)).toEqual([255, 0, 0, 255]);
    expect((await pixelAt(main, 0.8, 0.5))[3]).toBe(0);
    const left = (await readdir(job.outDir)).filter((name) => name.endsWith(".png"));
    expect(left).toEqual([]);
  });

  it("abuse 47: shows no other file, wherever it is", async () => {
    const image = await flatPng(40, 20);
    const shown = ["secret.png", "./secret.png", "original", "file:///etc/hostname"].map(
      (href) => `<image href="${href}" width="40" height="20"/>`,
    );
    const { main } = await render(drawing(`<rect width="1" height="1"/>${shown.join("")}`), {
      "secret.png": image,
    });
    expect((await pixelAt(main, 0.5, 0.5))[3]).toBe(0);
  });

  it.each([
    ["entities", '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"/>'],
    ["what is cut off", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><g>'],
    ["an endless one", drawing("", 'width="1e9" height="1e9"').toString()],
    ["2 MiB", drawing(`<!--${"x".repeat(2 * 1024 * 1024)}-->`).toString()],
  ])("abuse 47: %s is refused", async (_what, text) => {
    const job = await put(Buffer.from(text));
    await expect(shared.convert({ ...job, acceptsSvg: true })).rejects.toMatchObject({
      code: "bad_media",
    });
    expect(await readdir(job.outDir)).toEqual(["original"]);
  });
});

/** Resident memory of this process's children together, in KiB. */
async function childMemory(): Promise<number> {
  let sum = 0;
  for (const pid of await childPids()) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    sum += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  }
  return sum;
}

/** The worker processes below this one. */
async function childPids(): Promise<number[]> {
  const pids: number[] = [];
  for (const pid of processTree(process.pid).slice(1)) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const [program = ""] = command.split("\0");
    // Not those that contain it.
    if (/\bnode$/.test(program) && command.includes("image/worker.ts")) pids.push(pid);
  }
  return pids;
}

/** What gives the worker processes that come after this; a number says nothing of their order. */
async function startedFromNow(): Promise<() => Promise<number[]>> {
  const others = new Set(await childPids());
  return async () => (await childPids()).filter((pid) => !others.has(pid));
}

describe("worker processes", () => {
  /** Takes long enough to be interrupted. */
  const large = flatPng(9990, 9990);

  it("die for one file alone, and are started anew", async () => {
    const mine = await startedFromNow();
    const images = workers({ workers: 1 });
    const small = await noise(10, 10).png().toBuffer();
    await convert(small, images);
    const [before = 0] = await mine();
    const slow = await put(large);
    const dying = images.convert({ ...slow, onStart: () => process.kill(before, "SIGKILL") });
    const next = convert(small, images);
    await expect(dying).rejects.toMatchObject({ details: { reason: "undecodable" } });
    expect((await next).result.width).toBe(10);
    expect(await childPids()).not.toContain(before);
  });

  it("are killed when they take too long", async () => {
    const images = workers({ limits: { ...defaultLimits.media, imageSeconds: 0.2 } });
    const slow = await put(large);
    await expect(images.convert(slow)).rejects.toMatchObject({
      code: "bad_media",
      details: { reason: "timeout" },
    });
  });

  it("answer 503 with Retry-After when the line is full, and give up a place on abort", async () => {
    const images = workers({ workers: 1, limits: { ...defaultLimits.media, queue: 1 } });
    const jobs = [await put(large), await put(large)];
    const stop = new AbortController();
    const started = Promise.withResolvers<void>();
    const onStart = () => started.resolve();
    const first = images.convert({ ...(await put(large)), signal: stop.signal, onStart });
    const stopped = failure(first);
    await started.promise;
    const place = new AbortController();
    const { signal } = place;
    const both = jobs.map((job) => failure(images.convert({ ...job, signal })));
    // Which of the two comes first is the system's affair.
    expect(await Promise.race(both)).toMatchObject({
      code: "unavailable",
      headers: { "Retry-After": "10" },
    });
    place.abort(new Error("not wanted"));
    stop.abort(new Error("stopped"));
    expect(await stopped).toEqual(new Error("stopped"));
    expect(await Promise.all(both)).toContainEqual(new Error("not wanted"));
    expect((await convert(await noise(10, 10).png().toBuffer(), images)).result.width).toBe(10);
  });

  it("end when nobody needs them, and all at close", async () => {
    const mine = await startedFromNow();
    await convert(await noise(10, 10).png().toBuffer(), workers({ idleMs: 20 }));
    await eventually(async () => expect(await mine()).toEqual([]));

    const images = workers();
    const started = Promise.withResolvers<void>();
    const slow = images.convert({ ...(await put(large)), onStart: () => started.resolve() });
    const refused = failure(slow);
    await started.promise;
    await eventually(async () => expect(await mine()).toHaveLength(1));
    await images.close();
    expect(await refused).toMatchObject({ code: "unavailable" });
    expect(await mine()).toEqual([]);
  });

  it("inherit nothing of the environment", async () => {
    const mine = await startedFromNow();
    await convert(await noise(10, 10).png().toBuffer(), workers({ workers: 1 }));
    const pids = await mine();
    expect(pids).toHaveLength(1);
    for (const pid of pids) {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8");
      expect(environment.split("\0").filter((line) => /^(PATH|HOME|VITEST)/.test(line))).toEqual(
        [],
      );
    }
  });

  it("draw the placeholder of a poster", async () => {
    const { file } = await put(await noise(640, 360).jpeg().toBuffer());
    expect(await shared.placeholder({ file })).toMatch(/^data:image\/webp;base64,/);
  });
});
