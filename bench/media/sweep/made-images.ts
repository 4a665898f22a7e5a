import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp, { type CreateRaw, type Sharp } from "sharp";
import { plainGif, pngChunk, withChunks } from "../../../test/support/image-bytes.ts";

/** A file and what of devices and programs it stands for. */
export interface MadeFile {
  name: string;
  /** Device or program, and format. */
  stands: string;
  data: Buffer;
}

const [width, height] = [320, 240];

/**
 * A scene without symmetry, so that a turned or mirrored copy is found: four different corners, a
 * gradient, and a little texture.
 */
function scene(w = width, h = height): Sharp {
  const corners = [
    [200, 60, 50],
    [60, 170, 80],
    [50, 70, 190],
    [210, 190, 90],
  ];
  const data = Buffer.alloc(w * h * 3);
  let state = 7;
  for (let at = 0; at < w * h; at += 1) {
    const [x, y] = [(at % w) / w, Math.floor(at / w) / h];
    const weights = [(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y];
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    for (let c = 0; c < 3; c += 1) {
      const level = corners.reduce((sum, color, n) => sum + (color[c] ?? 0) * (weights[n] ?? 0), 0);
      data[at * 3 + c] = Math.max(0, Math.min(255, level + (state >>> 28) - 8));
    }
  }
  return sharp(data, { raw: { width: w, height: h, channels: 3 } });
}

/** The scene with a transparent half and soft edge. */
async function clearScene(): Promise<Sharp> {
  const alpha = Buffer.from(
    Uint8Array.from({ length: width * height }, (_, at) =>
      Math.max(0, Math.min(255, ((at % width) - width / 3) * 3)),
    ),
  );
  const raw = { width, height, channels: 1 } as const;
  return sharp(await scene().raw().toBuffer(), { raw: { width, height, channels: 3 } }).joinChannel(
    alpha,
    { raw },
  );
}

const deep = () => scene().toColourspace("rgb16");
const uint32 = (...numbers: number[]) => {
  const data = Buffer.alloc(numbers.length * 4);
  for (const [at, number] of numbers.entries()) data.writeUInt32BE(number, at * 4);
  return data;
};
const p3Chromaticities = uint32(31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6000);

async function pngWith(stands: string, name: string, ...chunks: Buffer[]): Promise<MadeFile> {
  return { name, stands, data: withChunks(await scene().png().toBuffer(), ...chunks) };
}

/** A file whose nclx box names other primaries and another transfer. */
async function avifIn(name: string, stands: string, transfer: number): Promise<MadeFile> {
  const data = await scene().avif({ lossless: true }).toBuffer();
  const at = data.indexOf("colrnclx", 0, "latin1") + 8;
  data.writeUInt16BE(9, at);
  data.writeUInt16BE(transfer, at + 2);
  return { name, stands, data };
}

/** As a camera stores a photo that was taken with the camera turned. */
async function turned(orientation: number): Promise<MadeFile> {
  const data = await scene().jpeg({ quality: 95 }).withMetadata({ orientation }).toBuffer();
  const stands = `phone held in orientation ${orientation}, JPEG with EXIF`;
  return { name: `orientation-${orientation}.jpg`, stands, data };
}

async function frames(count: number): Promise<{ data: Buffer; raw: CreateRaw }> {
  const list: Buffer[] = [];
  for (let n = 0; n < count; n += 1) {
    list.push(
      await scene()
        .modulate({ hue: n * 40 })
        .raw()
        .toBuffer(),
    );
  }
  const raw = { width, height: height * count, channels: 3, pageHeight: height } as const;
  return { data: Buffer.concat(list), raw };
}

/** The files that stand for still and animated images of strangers' devices. */
export async function makeImageFiles(): Promise<MadeFile[]> {
  const of = async (name: string, stands: string, image: Sharp | Promise<Sharp>) => ({
    name,
    stands,
    data: await (await image).toBuffer(),
  });
  const six = await frames(6);
  const moving = () => sharp(six.data, { raw: six.raw });
  const delay = [40, 100, 250, 30, 70, 500];
  const whole: [number, number, number, number] = [0, 0, 60, 60];
  const gifs: MadeFile[] = [
    {
      name: "cleared.gif",
      stands: "screen recorder, GIF whose frames are cleared",
      data: plainGif(60, 60, [
        { at: whole, color: 1, disposal: 1 },
        { at: [10, 10, 20, 20], color: 2, disposal: 2 },
        { at: [30, 30, 20, 20], color: 3, disposal: 1 },
      ]),
    },
    {
      name: "previous.gif",
      stands: "Photoshop, GIF that restores the frame before",
      data: plainGif(60, 60, [
        { at: whole, color: 2, disposal: 1 },
        { at: [5, 5, 30, 20], color: 1, disposal: 3 },
        { at: [20, 30, 30, 20], color: 3, disposal: 1 },
      ]),
    },
    {
      name: "partial.gif",
      stands: "old web page, GIF that draws a part of its screen",
      data: plainGif(60, 60, [{ at: [10, 10, 30, 20], color: 1, disposal: 1 }]),
    },
  ];
  return Promise.all([
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => turned(orientation)),
    of("p3.jpg", "iPhone, JPEG in Display P3", scene().jpeg({ quality: 95 }).withIccProfile("p3")),
    of(
      "cmyk.jpg",
      "InDesign, JPEG in CMYK",
      scene().toColourspace("cmyk").jpeg({ quality: 95 }).withIccProfile("cmyk"),
    ),
    of("gray.jpg", "scanner, gray JPEG", scene().grayscale().jpeg({ quality: 95 })),
    of("progressive.jpg", "web export, progressive JPEG", scene().jpeg({ progressive: true })),
    of("full-chroma.jpg", "Lightroom, JPEG in 4:4:4", scene().jpeg({ chromaSubsampling: "4:4:4" })),
    of("large.jpg", "Pixel, JPEG of 12 megapixels", scene(4000, 3000).jpeg({ quality: 90 })),
    of("panorama.jpg", "phone's panorama, JPEG", scene(5000, 700).jpeg({ quality: 90 })),
    of("plain.png", "screenshot, PNG", scene().png()),
    of("deep-srgb.png", "Affinity, PNG with 16 bits in sRGB", deep().png().withIccProfile("srgb")),
    of("deep-p3.png", "Photoshop, PNG with 16 bits in P3", deep().png().withIccProfile("p3")),
    of("deep.png", "GIMP, PNG with 16 bits without profile", deep().png()),
    of("palette.png", "Figma, PNG with a palette", scene().png({ palette: true, colors: 64 })),
    of("clear.png", "Sketch, transparent PNG", (await clearScene()).png()),
    of(
      "clear-palette.png",
      "pngquant, transparent palette",
      (await clearScene()).png({ palette: true }),
    ),
    of(
      "clear-gray.png",
      "logo, gray PNG with transparency",
      (await clearScene()).grayscale().png(),
    ),
    of("interlaced.png", "old camera software, interlaced PNG", scene().png({ progressive: true })),
    of(
      "line-art.png",
      "fax, PNG with 1 bit",
      scene().threshold(128).png({ palette: true, colors: 2 }),
    ),
    pngWith("3D renderer, PNG in linear light", "linear.png", pngChunk("gAMA", uint32(100_000))),
    pngWith("old Mac, PNG with gamma 1.8", "mac.png", pngChunk("gAMA", uint32(55_556))),
    pngWith("Windows, PNG with sRGB's gamma", "gamma.png", pngChunk("gAMA", uint32(45_455))),
    pngWith(
      "macOS screenshot, PNG that names P3's primaries",
      "p3-primaries.png",
      pngChunk("gAMA", uint32(45_455)),
      pngChunk("cHRM", p3Chromaticities),
    ),
    pngWith("game capture, HDR PNG in PQ", "pq.png", pngChunk("cICP", Buffer.from([9, 16, 0, 1]))),
    pngWith("TV capture, HDR PNG in HLG", "hlg.png", pngChunk("cICP", Buffer.from([9, 18, 0, 1]))),
    of("lzw.tif", "scanner, TIFF with LZW", scene().tiff({ compression: "lzw" })),
    of("deflate.tif", "Affinity, TIFF with Deflate", scene().tiff({ compression: "deflate" })),
    of("jpeg.tif", "scanner, TIFF with JPEG", scene().tiff({ compression: "jpeg", quality: 95 })),
    of("packbits.tif", "old Mac, TIFF with PackBits", scene().tiff({ compression: "packbits" })),
    of("plain.tif", "Nikon, uncompressed TIFF", scene().tiff({ compression: "none" })),
    of("deep.tif", "Capture One, TIFF with 16 bits in P3", deep().tiff().withIccProfile("p3")),
    of(
      "tiled.tif",
      "microscope, tiled TIFF",
      scene().tiff({ tile: true, tileWidth: 64, tileHeight: 64 }),
    ),
    of(
      "fax.tif",
      "fax, TIFF with CCITT group 4",
      scene().threshold(128).toColourspace("b-w").tiff({ compression: "ccittfax4", bitdepth: 1 }),
    ),
    of(
      "cmyk.tif",
      "Photoshop, TIFF in CMYK",
      scene().toColourspace("cmyk").tiff().withIccProfile("cmyk"),
    ),
    of("lossy.webp", "Android app, lossy WebP", scene().webp({ quality: 90 })),
    of("lossless.webp", "Chrome, lossless WebP", scene().webp({ lossless: true })),
    of("clear.webp", "sticker, transparent WebP", (await clearScene()).webp({ quality: 90 })),
    of("moving.webp", "messenger, animated WebP", moving().webp({ delay, loop: 3 })),
    of(
      "moving.gif",
      "GIPHY, animated GIF with a time for each frame",
      moving().gif({ delay, loop: 0 }),
    ),
    of("still.gif", "old web page, still GIF", scene().gif()),
    ...gifs,
    of("plain.avif", "web export, AVIF", scene().avif({ quality: 90 })),
    of("deep.avif", "camera, AVIF with 10 bits", scene().avif({ quality: 90, bitdepth: 8 })),
    of("p3.avif", "Squoosh, AVIF in P3", scene().avif({ quality: 90 }).withIccProfile("p3")),
    of("clear.avif", "web export, transparent AVIF", (await clearScene()).avif({ quality: 90 })),
    avifIn("pq.avif", "phone, HDR AVIF in PQ", 16),
    avifIn("hlg.avif", "camera, HDR AVIF in HLG", 18),
  ]);
}

/** Writes files into a folder and returns their paths with what they stand for. */
export async function writeFiles(dir: string, files: MadeFile[]): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for (const { name, stands, data } of files) {
    await writeFile(join(dir, name), data);
    paths.set(join(dir, name), stands);
  }
  return paths;
}
