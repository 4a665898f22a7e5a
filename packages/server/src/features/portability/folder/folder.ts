import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { AppError } from "../../../kit/errors.ts";

/** The files of an imported folder, as of when it was listed. */
export interface Folder {
  /** Its real path. */
  root: string;
  /** Sizes in bytes by path below the root, with `/` between folders. */
  files: ReadonlyMap<string, number>;
  /** Links, pipes, sockets, and other special files, which are never opened. */
  others: ReadonlySet<string>;
}

/** Limits for the walk, far above any portfolio. */
const maxEntries = 20_000;
const maxDepth = 12;

/** Folders of tools and systems, which contain no case studies. */
function isSkipped(name: string): boolean {
  // Files that identify an Eleventy folder.
  if (/^\.eleventy\.c?js$/.test(name)) return false;
  return name.startsWith(".") || name === "node_modules" || name === "__MACOSX";
}

async function walk(
  root: string,
  path: string,
  found: { files: Map<string, number>; others: Set<string> },
): Promise<void> {
  if (path.split("/").length > maxDepth) return;
  const entries = await readdir(join(root, path), { withFileTypes: true });
  for (const entry of entries) {
    if (isSkipped(entry.name)) continue;
    const inner = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) await walk(root, inner, found);
    else if (entry.isFile()) found.files.set(inner, (await lstat(join(root, inner))).size);
    else found.others.add(inner);
    if (found.files.size + found.others.size > maxEntries) {
      const message = `The folder contains more than ${maxEntries} files. Choose a smaller one.`;
      throw new AppError("too_large", message);
    }
  }
}

/**
 * Looks through a folder; links in it are noted and not followed. Throws `too_large` for more than
 * 20,000 files.
 */
export async function scanFolder(path: string): Promise<Folder> {
  const root = await realpath(path);
  const found = { files: new Map<string, number>(), others: new Set<string>() };
  await walk(root, "", found);
  return { root, ...found };
}

/**
 * Opens a file of the folder for reading, if it is a regular file that no link leads to. Throws
 * `validation_failed` for anything else: it has changed since the look.
 */
export async function openFile(folder: Pick<Folder, "root">, path: string) {
  const file = join(folder.root, path);
  const changed = (cause?: unknown) =>
    new AppError("validation_failed", `${path} was replaced while it was being read.`, {
      cause,
    });
  if (!file.startsWith(`${folder.root.replace(/\/$/, "")}${sep}`)) throw changed();
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch((error: unknown) => {
    throw changed(error);
  });
  try {
    const isHere = (await realpath(dirname(file))) === dirname(file);
    if (!isHere || !(await handle.stat()).isFile()) throw changed();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The bytes of a file of the folder, at most `maxBytes` of them. Errors as of `openFile`, `too_large`. */
export async function readBytes(
  folder: Pick<Folder, "root">,
  path: string,
  limit: number,
): Promise<Uint8Array> {
  const handle = await openFile(folder, path);
  try {
    const { size } = await handle.stat();
    if (size > limit) throw new AppError("too_large", `${path} is larger than ${limit} bytes.`);
    const bytes = Buffer.alloc(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await handle.read(bytes, length, size - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
}
