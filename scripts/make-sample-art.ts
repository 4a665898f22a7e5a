import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { sha256Hex } from "../packages/server/src/kit/hash.ts";
import { pieces, type Piece } from "./sample-art/pieces.ts";
import { icon, portrait, share } from "./sample-art/portrait.ts";

/**
 * Draws the images of the sample content and writes their records into `packages/template/database/projects.json`.
 * Everything comes from seeded code: with the same version of sharp the same bytes come out again.
 *
 *     node scripts/make-sample-art.ts            all of them
 *     node scripts/make-sample-art.ts field-dots only those named
 */

const template = join(import.meta.dirname, "../packages/template");
const mediaFolder = join(template, "app/public/media");
/**
 * Images are drawn into a temporary folder and moved into place at the end, so that a concurrent
 * build finds all of them.
 */
const drawing = join(template, "app/public/media.new");
const imageFolder = join(template, "app/public/images");
const recordsFile = join(template, "database/projects.json");
const year = "2026";
const drawnAt = "2026-11-01T09:00:00.000Z";
const variantWidths = [480, 800, 1200];

interface MediaRecord {
  kind: "image";
  src: string;
  originalName: string;
  mime: string;
  bytes: number;
  originalBytes: number;
  width: number;
  height: number;
  duration: null;
  hasAlpha: boolean;
  animated: boolean;
  poster: null;
  placeholder: string;
  variants: { src: string; width: number; bytes: number }[];
  sha256: string;
  alt: string;
  createdAt: string;
}

interface Records {
  media: MediaRecord[];
  projects: { gallery: { src: string }[] }[];
}

/** The smaller of two encodings: flat shapes are often smaller when lossless. */
async function encode(svg: Buffer, width: number, isCover: boolean): Promise<Buffer> {
  const pixels = await sharp(svg)
    .resize({ width })
    .removeAlpha()
    .png({ compressionLevel: 1 })
    .toBuffer();
  const lossy = await sharp(pixels)
    // Four covers are on the home page, which has a size budget: their edges are a little softer.
    .webp({ quality: isCover ? 54 : 58, effort: 6, smartSubsample: !isCover })
    .toBuffer();
  const lossless = await sharp(pixels).webp({ lossless: true, effort: 6 }).toBuffer();
  return lossless.length < lossy.length ? lossless : lossy;
}

async function placeholderOf(svg: Buffer): Promise<string> {
  const tiny = await sharp(svg)
    .resize({ width: 12 })
    .removeAlpha()
    .webp({ quality: 30, effort: 6 })
    .toBuffer();
  return `data:image/webp;base64,${tiny.toString("base64")}`;
}

async function drawPiece(piece: Piece): Promise<MediaRecord> {
  const svg = Buffer.from(piece.svg);
  const { width, height } = await sharp(svg).metadata();
  const isCover = piece.isCover ?? false;
  const original = await encode(svg, width, isCover);
  const sha256 = sha256Hex(original);
  const base = `/media/${year}/${sha256.slice(0, 12)}-${piece.name}`;
  const save = (src: string, data: Buffer) =>
    writeFile(join(drawing, src.replace("/media/", "")), data);
  await save(`${base}.webp`, original);
  const variants = [];
  for (const variantWidth of variantWidths.filter((wanted) => wanted < width)) {
    const data = await encode(svg, variantWidth, isCover);
    const src = `${base}-${variantWidth}.webp`;
    await save(src, data);
    variants.push({ src, width: variantWidth, bytes: data.length });
  }
  return {
    kind: "image",
    src: `${base}.webp`,
    originalName: `${piece.name}.webp`,
    mime: "image/webp",
    bytes: original.length,
    originalBytes: original.length,
    width,
    height,
    duration: null,
    hasAlpha: false,
    animated: false,
    poster: null,
    placeholder: await placeholderOf(svg),
    variants,
    sha256,
    alt: piece.alt,
    createdAt: drawnAt,
  };
}

/** Points every gallery at the current file names. */
function relink(records: Records, media: MediaRecord[]): void {
  for (const project of records.projects) {
    for (const item of project.gallery) {
      const name = item.src.replace(/^.*\/[0-9a-f]{12}-/, "");
      const drawn = media.find((record) => record.originalName === name);
      if (!drawn) throw new Error(`A gallery names ${item.src}, which is not drawn here.`);
      item.src = drawn.src;
    }
  }
}

await rm(drawing, { recursive: true, force: true });
await mkdir(join(drawing, year), { recursive: true });
const named = process.argv.slice(2);
const isDrawn = (name: string) => named.length === 0 || named.includes(name);
const records = JSON.parse(await readFile(recordsFile, "utf8")) as Records;
await mkdir(imageFolder, { recursive: true });
const media: MediaRecord[] = [];
for (const piece of pieces.filter(({ name }) => isDrawn(name))) media.push(await drawPiece(piece));
for (const record of records.media) {
  if (isDrawn(record.originalName.replace(".webp", ""))) continue;
  media.push(record);
  for (const { src } of [record, ...record.variants]) {
    await copyFile(join(mediaFolder, "..", src), join(drawing, src.replace("/media/", "")));
  }
}
relink(records, media);
await rm(mediaFolder, { recursive: true, force: true });
await rename(drawing, mediaFolder);
media.sort((a, b) => (a.src < b.src ? -1 : 1));
await writeFile(recordsFile, `${JSON.stringify({ ...records, media }, null, 2)}\n`);
await writeFile(join(imageFolder, "portrait.svg"), `${portrait()}\n`);
await writeFile(join(template, "app/public/favicon.svg"), `${icon()}\n`);
await writeFile(
  join(imageFolder, "share.png"),
  await sharp(Buffer.from(share()))
    .png({ palette: true, compressionLevel: 9, effort: 10 })
    .toBuffer(),
);
const total = media.reduce((sum, item) => {
  return sum + item.bytes + item.variants.reduce((bytes, variant) => bytes + variant.bytes, 0);
}, 0);
console.log(`${media.length} pictures, ${Math.round(total / 1024)} KiB with their variants`);
