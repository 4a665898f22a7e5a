import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { AppError } from "../../kit/errors.ts";

const blockBytes = 2 ** 20;
/** How many blocks may wait for the compression while the next one is filled. */
export const maxPendingBytes = 2 * blockBytes;
const buffers = maxPendingBytes / blockBytes + 1;

function changed(file: string): AppError {
  return new AppError("conflict", `${file} changed during the backup. Try again.`);
}

/**
 * Collects an archive's bytes in few large blocks: thousands of small files would otherwise each
 * take a stream with its own buffer. `append` and `appendFile` yield each full block; it is
 * overwritten when `maxPendingBytes` more have been yielded, so consumers must have read it then.
 */
export function makeArchiveBlocks() {
  const ring = Array.from({ length: buffers }, () => Buffer.allocUnsafeSlow(blockBytes));
  let turn = 0;
  let used = 0;

  function current(): Buffer {
    return ring[turn % buffers] as Buffer;
  }

  function take(): Buffer {
    const full = current().subarray(0, used);
    turn += 1;
    used = 0;
    return full;
  }

  function* append(bytes: Buffer): Generator<Buffer> {
    for (let offset = 0; offset < bytes.length;) {
      const copied = bytes.copy(current(), used, offset);
      offset += copied;
      used += copied;
      if (used === blockBytes) yield take();
    }
  }

  /** Appends a file's content, which has to be `size` bytes; its SHA-256 is the return value. */
  function* appendFile(file: string, size: number): Generator<Buffer, string> {
    const hash = createHash("sha256");
    const handle = openSync(file, "r");
    try {
      let left = size;
      while (left > 0) {
        const block = current();
        const read = readSync(handle, block, used, Math.min(left, blockBytes - used), null);
        if (read === 0) throw changed(file);
        hash.update(block.subarray(used, used + read));
        used += read;
        left -= read;
        if (used === blockBytes) yield take();
      }
      if (fstatSync(handle).size !== size) throw changed(file);
    } finally {
      closeSync(handle);
    }
    return hash.digest("hex");
  }

  return { append, appendFile, take };
}
