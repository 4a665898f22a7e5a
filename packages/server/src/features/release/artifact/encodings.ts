import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Smaller files fit into one packet anyway. */
export const encodedFrom = 512;
/** Compression that saves less isn't worth a Vary header and a second copy. */
const worthwhile = 0.9;

/** The compression effort, so that a large site isn't delayed by the last percent. */
export interface Effort {
  brotli: number;
  gzip: number;
}

/** For small, medium, and large sites. */
export const efforts = [
  { brotli: 9, gzip: 8 },
  { brotli: 5, gzip: 6 },
  { brotli: 4, gzip: 4 },
] as const satisfies readonly Effort[];

/**
 * `totalBytes`: everything to be compressed. Brotli 9 takes about 3 ms for 20 kB, 5 a quarter of
 * it.
 */
export function effortFor(totalBytes: number): Effort {
  const [small, medium, large] = efforts;
  if (totalBytes > 16 * 2 ** 20) return large;
  return totalBytes > 4 * 2 ** 20 ? medium : small;
}

/** Compresses a file as `writeEncodings` does. */
export function compress(data: Buffer, suffix: "br" | "gz", effort: Effort): Promise<Buffer> {
  if (suffix === "gz") return deflate(data, { level: effort.gzip });
  return brotli(data, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: effort.brotli,
      [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  });
}

/**
 * Writes compressed siblings of `source` as `<target>.br` and `<target>.gz` if worthwhile, and
 * returns their sizes.
 */
export async function writeEncodings(
  source: string,
  target: string,
  effort: Effort,
): Promise<{ br?: number; gz?: number }> {
  const data = await readFile(source);
  const [br, gz] = await Promise.all([compress(data, "br", effort), compress(data, "gz", effort)]);
  const sizes: { br?: number; gz?: number } = {};
  if (br.length < data.length * worthwhile) {
    await writeFile(`${target}.br`, br, { flag: "wx", mode: 0o644 });
    sizes.br = br.length;
  }
  if (gz.length < data.length * worthwhile) {
    await writeFile(`${target}.gz`, gz, { flag: "wx", mode: 0o644 });
    sizes.gz = gz.length;
  }
  return sizes;
}
