import { constants } from "node:fs";
import { chmod, chown, copyFile, lstat, open, rename, rm } from "node:fs/promises";
import { AppError } from "../../../kit/errors.ts";

async function startsLike(path: string, offset: number, bytes: string): Promise<boolean> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const head = Buffer.alloc(bytes.length);
    await handle.read(head, 0, bytes.length, offset);
    return head.toString("latin1") === bytes;
  } finally {
    await handle.close();
  }
}

/** How each output begins: the first box of an MP4, the marker of a JPEG. */
const signatures = { mp4: { offset: 4, bytes: "ftyp" }, jpg: { offset: 0, bytes: "\xff\xd8\xff" } };

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await rm(from);
  }
}

/**
 * Takes over a file from the sandbox's user after everything there has ended. It must be a regular
 * file without other links, of the expected type, and within the size limit. Returns its size in
 * bytes. Throws AppError `internal` otherwise.
 */
export async function takeOutput(
  from: string,
  to: string,
  kind: keyof typeof signatures,
  maxBytes: number,
): Promise<number> {
  const stat = await lstat(from);
  const { offset, bytes } = signatures[kind];
  const isFit = stat.isFile() && stat.nlink === 1 && stat.size > 0 && stat.size <= maxBytes;
  if (!isFit || !(await startsLike(from, offset, bytes))) {
    throw new AppError("internal", "The converter produced a file that isn't a video.");
  }
  if (process.getuid?.() === 0) await chown(from, 0, process.getgid?.() ?? 0);
  await chmod(from, 0o644);
  await move(from, to);
  return stat.size;
}
