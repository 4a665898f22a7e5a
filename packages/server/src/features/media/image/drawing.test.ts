import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noise } from "../../../../../../test/support/image-bytes.ts";
import { silentLog } from "../../../../../../test/support/media-library.ts";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import { defaultLimits } from "../../../platform/config.ts";
import { type ImageWorkers, makeImageWorkers } from "./workers.ts";

let folder: TempFolder;
let images: ImageWorkers;

beforeAll(async () => {
  folder = await tempFolder();
  images = makeImageWorkers({
    limits: defaultLimits.media,
    log: silentLog,
    dir: join(folder.path, "workers"),
  });
});
afterAll(async () => {
  await images.close();
  await folder.remove();
});

async function convert(data: Buffer) {
  const outDir = await mkdtemp(join(folder.path, "job-"));
  const file = join(outDir, "original");
  await writeFile(file, data);
  const result = await images.convert({ file, outDir, stem: "stem" });
  return { result, main: await readFile(join(outDir, result.file)) };
}

const pixels = (data: Buffer) => sharp(data).toColourspace("srgb").raw().toBuffer();
const svg = (width: number, height: number, inner: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${inner}</svg>`,
  );

/** Bars with labels and thin lines, as programs draw them. */
function chart(width: number, height: number): Buffer {
  const bars = Array.from({ length: 12 }, (_, at) => {
    const tall = 20 + ((at * 37) % 60);
    const place = `x="${at * 8 + 3}%" y="${90 - tall}%" width="6%" height="${tall}%"`;
    return `<rect ${place} fill="hsl(${at * 30},80%,45%)"/><line x1="0" x2="100%" y1="${at * 8}%" y2="${at * 8}%" stroke="#ccc"/>`;
  });
  return svg(width, height, `<rect width="100%" height="100%" fill="#fff"/>${bars.join("")}`);
}

const photo = (width: number, height: number) =>
  noise(Math.ceil(width / 8), Math.ceil(height / 8)).resize(width, height, { kernel: "cubic" });

describe("a drawing without transparency", () => {
  it("is stored without loss, and lighter than as a JPEG", async () => {
    const source = await sharp(chart(900, 600)).removeAlpha().png().toBuffer();
    const { result, main } = await convert(source);
    expect(result).toMatchObject({ file: "stem.webp", mime: "image/webp", hasAlpha: false });
    expect((await pixels(main)).equals(await pixels(source))).toBe(true);
    expect(main.length).toBeLessThan(source.length);
    expect(main.length).toBeLessThan((await sharp(source).jpeg({ quality: 80 }).toBuffer()).length);
    for (const { bytes } of result.variants) expect(bytes).toBeLessThanOrEqual(main.length);
  });

  it("is recognized when it has to be made smaller", async () => {
    const source = await sharp(chart(3200, 2000)).removeAlpha().png().toBuffer();
    const { result } = await convert(source);
    expect(result).toMatchObject({ mime: "image/webp", width: 1600, height: 1000 });
  });

  it.each([
    [
      "a flag",
      svg(
        60,
        40,
        '<path d="M0 0h60v40H0z" fill="#d52b1e"/><path d="M25 8h10v24H25zM18 15h24v10H18z" fill="#fff"/>',
      ),
    ],
    [
      "a smooth gradient",
      svg(
        300,
        200,
        '<linearGradient id="a"><stop stop-color="#00f"/><stop offset="1" stop-color="#f80"/></linearGradient><rect width="300" height="200" fill="url(#a)"/>',
      ),
    ],
    ["a single pixel", svg(1, 1, '<rect width="1" height="1" fill="#123456"/>')],
  ])("is no larger than it came: %s", async (_what, drawing) => {
    const source = await sharp(drawing).removeAlpha().png({ compressionLevel: 9 }).toBuffer();
    const { result, main } = await convert(source);
    expect(result.mime).toBe("image/webp");
    expect(main.length).toBeLessThanOrEqual(source.length);
    expect((await pixels(main)).equals(await pixels(source))).toBe(true);
  });
});

describe("a photograph", () => {
  it("is a JPEG, whichever format it comes in", async () => {
    for (const format of ["png", "tiff", "webp", "jpeg"] as const) {
      const { result } = await convert(await photo(400, 300).toFormat(format).toBuffer());
      expect({ format, mime: result.mime }).toEqual({ format, mime: "image/jpeg" });
    }
  });

  it("is a JPEG with wide empty margins, too", async () => {
    const framed = photo(400, 300).extend({ left: 300, right: 300, background: "#fff" });
    const { result } = await convert(await framed.png().toBuffer());
    expect(result.mime).toBe("image/jpeg");
  });
});

describe("an icon with transparency", () => {
  it("keeps its colors next to each other and to nothing", async () => {
    const icon = svg(
      192,
      192,
      '<circle cx="96" cy="96" r="90" fill="#f00"/><circle cx="96" cy="96" r="40" fill="#00f"/>',
    );
    const source = await sharp(icon).png().toBuffer();
    const { result, main } = await convert(source);
    expect(result).toMatchObject({ mime: "image/webp", hasAlpha: true });
    const [before, after] = [await pixels(source), await pixels(main)];
    const isSame = before.every(
      // The color of what is fully transparent doesn't matter.
      (value, at) => value === after[at] || before[at - (at % 4) + 3] === 0,
    );
    expect(isSame).toBe(true);
  });

  it("that was blurred before is not stored larger without loss", async () => {
    const soft = await noise(24, 24, 4)
      .resize(192, 192, { kernel: "cubic" })
      .webp({ quality: 60 })
      .toBuffer();
    const { main } = await convert(soft);
    const lossy = await sharp(soft)
      .webp({ quality: 80, effort: 4, smartSubsample: true })
      .toBuffer();
    expect(main.length).toBeLessThanOrEqual(Math.max(lossy.length, soft.length));
  });
});
