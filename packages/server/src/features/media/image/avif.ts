import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { removeTree } from "../../../platform/files.ts";
import type { Variant } from "./encode.ts";
import type { AvifTask } from "./protocol.ts";
import { openPixels, type Pixels } from "./sharp.ts";
import { isLosslessWebp } from "./webp-kind.ts";

/**
 * About as good as the WebP variants. Effort 4 saves 2 % more in four times the time; full chroma takes
 * 2.5 % and is worth 10 %.
 */
const avif = { quality: 64, effort: 3, chromaSubsampling: "4:4:4" } as const;

/** What AVIF has to save to be worth another file. */
const maxShare = 0.9;

async function readPixels(file: string): Promise<Pixels> {
  const image = sharp(file, { failOn: "error" }).toColourspace("srgb").raw({ depth: "uchar" });
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

/**
 * Encodes a stored image in the widths that visitors get so far. All of them have to be smaller,
 * because a browser chooses among them by width alone; otherwise, none is kept.
 */
export async function writeAvifVariants(task: AvifTask): Promise<Variant[]> {
  const { outDir, stem, present } = task;
  // A drawing that is stored without loss would only be blurred.
  if (await isLosslessWebp(task.file)) return [];
  const pixels = await readPixels(task.file);
  const made: Variant[] = [];
  for (const { width, bytes } of present) {
    const data = await openPixels(pixels).resize({ width }).avif(avif).toBuffer();
    if (data.length > bytes * maxShare) {
      for (const { file } of made) await removeTree(join(outDir, file));
      return [];
    }
    const file = `${stem}-${width}.avif`;
    await writeFile(join(outDir, file), data, { flag: "wx", mode: 0o644 });
    made.push({ file, width, bytes: data.length });
  }
  return made;
}
