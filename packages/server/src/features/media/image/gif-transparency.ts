import { readFile, writeFile } from "node:fs/promises";

/** GIF89a, sections 19 to 27. */
const image = 0x2c;
const extension = 0x21;
const control = 0xf9;
const restoreToBackground = 2;

/** A frame of one transparent pixel, and the end of the file. */
const transparentEnd = Buffer.from(
  "21f90401000000002c00000000010001008000000000000002024c01003b",
  "hex",
);

const colorTable = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** The end of the sub-blocks that begin at `at`; null where the file ends before. */
function skipBlocks(data: Buffer, at: number): number | null {
  let next = at;
  for (let size = data[next]; size !== undefined; size = data[next]) {
    next += size + 1;
    if (size === 0) return next;
  }
  return null;
}

/** What a walk over a GIF's blocks finds. */
interface GifFrames {
  /** Where the last complete block ends. */
  end: number;
  /** Whether a frame says that one of its colors is transparent. */
  isTransparent: boolean;
  /** Whether the first frame leaves places that nothing has drawn. */
  isPartial: boolean;
  /** The controls of frames that are cleared again and have no transparent color, but room for one. */
  clearing: number[];
}

/** Codes of fewer bits than these leave numbers that no pixel has. */
const fullCodeSize = 8;
const unusedColor = 255;

/** Walks over a file's blocks once. */
function readFrames(data: Buffer): GifFrames {
  const start = 13 + colorTable(data[10] ?? 0);
  const found: GifFrames = { end: start, isTransparent: false, isPartial: false, clearing: [] };
  const size = data.subarray(6, 10);
  let isFirst = true;
  let controlAt = 0;
  for (let at = start; at + 10 < data.length; at = found.end) {
    const kind = data[at];
    if (kind !== image && kind !== extension) break;
    const isImage = kind === image;
    const blocks = isImage ? at + 11 + colorTable(data[at + 9] ?? 0) : at + 2;
    const end = skipBlocks(data, blocks);
    if (end === null) break;
    found.end = end;
    if (!isImage) {
      if (data[at + 1] === control) controlAt = at;
      continue;
    }
    const isWhole = data.readUInt32LE(at + 1) === 0 && data.subarray(at + 5, at + 9).equals(size);
    if (isFirst) found.isPartial = !isWhole;
    isFirst = false;
    const flags = controlAt === 0 ? 0 : (data[controlAt + 3] ?? 0);
    const codeSize = data[blocks - 1] ?? fullCodeSize;
    if ((flags & 1) !== 0) found.isTransparent = true;
    else if (((flags >> 2) & 7) === restoreToBackground && codeSize < fullCodeSize) {
      found.clearing.push(controlAt);
    }
    controlAt = 0;
  }
  return found;
}

/**
 * Where nothing is drawn, or a frame was cleared, a GIF is transparent, also if none of its frames has a
 * transparent color. The decoder fills such places with a color instead. This writes a copy to `target`
 * in which cleared frames have a transparent color that no pixel has, with one transparent frame more
 * at the end, for which the decoder gives all frames transparency. False, with nothing written, if the
 * file needs no copy. Linear in the file.
 */
export async function addTransparency(file: string, target: string): Promise<boolean> {
  const data = await readFile(file);
  if (data.length < 13) return false;
  const { end, isTransparent, isPartial, clearing } = readFrames(data);
  if (clearing.length === 0 && (isTransparent || !isPartial)) return false;
  for (const at of clearing) {
    data[at + 3] = (data[at + 3] ?? 0) | 1;
    data[at + 6] = unusedColor;
  }
  await writeFile(target, Buffer.concat([data.subarray(0, end), transparentEnd]), {
    flag: "wx",
    mode: 0o600,
  });
  return true;
}
