import { constants } from "node:fs";
import {
  chmod,
  chown,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readdir,
  rm,
} from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../../platform/files.ts";
import { processFolder } from "../process-folders.ts";
import type { WorkerFolders } from "./sandbox.ts";

/** The folders of one worker, outside of all others: what it reads is copied there, and what it writes is copied back. */
export interface WorkerWorkspace extends WorkerFolders {
  /** Copies a file for the worker to read, as `source`. */
  give(file: string): Promise<void>;
  /**
   * Copies the worker's files to `outDir`: a process that was taken over could keep a file open and
   * change it later. Each must be a regular file without other links that is of the type that its name
   * says. Returns their sizes in bytes, in the same order. Throws an Error otherwise.
   */
  take(names: readonly string[], outDir: string): Promise<number[]>;
  /** Removes what one task has left. */
  clear(): Promise<void>;
  /** Removes the folders, after the worker has ended. */
  remove(): Promise<void>;
}

export const sourceName = "source";

/** How each output begins: a marker, the name of a container after its length, or a box. */
const signatures: Record<string, { offset: number; bytes: string }> = {
  jpg: { offset: 0, bytes: "\xff\xd8\xff" },
  webp: { offset: 8, bytes: "WEBP" },
  avif: { offset: 4, bytes: "ftypavif" },
};

const maxOutputBytes = 256 * 2 ** 20;

/** Reads as much as an open file had; it may change at any time. */
async function readBounded(file: FileHandle, size: number): Promise<Buffer> {
  const data = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(data, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return data.subarray(0, length);
}

const notOwn = (path: string) => new Error(`${path} isn't a file of its own`);

async function openNoFollow(path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return open(path, flags).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === "ELOOP" ? notOwn(path) : error;
  });
}

async function takeFile(from: string, to: string): Promise<number> {
  const source = await openNoFollow(from);
  try {
    // Of what was opened: another file may have its name by now.
    const stat = await source.stat();
    const isFit = stat.isFile() && stat.nlink === 1 && stat.size > 0 && stat.size <= maxOutputBytes;
    if (!isFit) throw notOwn(from);
    const data = await readBounded(source, stat.size);
    const { offset, bytes } = signatures[from.split(".").at(-1) ?? ""] ?? { offset: 0, bytes: "-" };
    const head = data.subarray(offset, offset + bytes.length).toString("latin1");
    if (head !== bytes) throw new Error(`${from} isn't of the type that its name says`);
    const target = await open(to, "wx", 0o644);
    try {
      await target.writeFile(data);
    } finally {
      await target.close();
    }
    return data.length;
  } finally {
    await source.close();
  }
}

/**
 * Creates the folders of a worker in `dir`; `user` is who it runs as, null: as this process. The
 * worker can't change the folder that it reads.
 */
export async function makeWorkerWorkspace(
  dir: string,
  user: number | null,
): Promise<WorkerWorkspace> {
  const own = processFolder(dir);
  const [input, output] = [join(own, "in"), join(own, "out")];
  await mkdir(input, { recursive: true });
  await mkdir(output, { mode: 0o700 });
  if (user !== null) await chown(output, user, user);
  return {
    input,
    output,
    async give(file) {
      const copy = join(input, sourceName);
      await copyFile(file, copy, constants.COPYFILE_FICLONE);
      await chmod(copy, user === null ? 0o600 : 0o644);
    },
    async take(names, outDir) {
      const sizes: number[] = [];
      for (const name of names) sizes.push(await takeFile(join(output, name), join(outDir, name)));
      return sizes;
    },
    async clear() {
      await rm(join(input, sourceName), { force: true });
      for (const name of await readdir(output)) await removeTree(join(output, name));
    },
    remove: () => removeTree(own),
  };
}
