import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { AppError } from "../../../kit/errors.ts";

const headLength = 4096;

/**
 * The offset of a box's content in `data`, searched for among the siblings from `offset` on
 * (ISO/IEC 14496-12); -1 if it isn't there.
 */
function contentOf(data: Buffer, name: string, offset: number): number {
  for (let at = offset; at + 8 <= data.length;) {
    if (data.toString("latin1", at + 4, at + 8) === name) return at + 8;
    const size = data.readUInt32BE(at);
    if (size < 8) return -1;
    at += size;
  }
  return -1;
}

/**
 * The duration in seconds of an MP4 that begins with its index, from its movie header (mvhd).
 * Throws AppError `internal` if there is none.
 */
export async function readDuration(file: string): Promise<number> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const head = Buffer.alloc(headLength);
    await handle.read(head, 0, headLength, 0);
    const movie = contentOf(head, "moov", 0);
    const header = movie < 0 ? -1 : contentOf(head, "mvhd", movie);
    if (header < 0 || header + 32 > headLength) {
      throw new AppError("internal", "The converter produced a video without an index.");
    }
    // Version 1 has 64-bit times.
    const isLong = head[header] === 1;
    const scale = head.readUInt32BE(header + (isLong ? 20 : 12));
    const length = isLong
      ? Number(head.readBigUInt64BE(header + 24))
      : head.readUInt32BE(header + 16);
    if (scale === 0)
      throw new AppError("internal", "The converter produced a video without a duration.");
    return length / scale;
  } finally {
    await handle.close();
  }
}
