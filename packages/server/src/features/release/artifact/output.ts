import { createHash, hash as hashOnce } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { fileMark } from "./file-mark.ts";
import { makeYieldToEventLoop } from "./yield-to-event-loop.ts";

/** A file of a build's output. */
export interface OutputFile {
  /** Relative to the site's root, with slashes: about/index.html. */
  path: string;
  /** Its current location. */
  source: string;
  bytes: number;
  /** SHA-256 of the content in hex. */
  hash: string;
}

export interface OutputBounds {
  bytes: number;
  files: number;
}

/** A file found by a walk, unread. */
export interface WalkedFile extends Omit<OutputFile, "hash"> {
  mark: string;
}

const maxDepth = 32;
/** Files of at least this size, in bytes, are read in pieces, between which others have their turn. */
export const streamedFrom = 4 * 1024 * 1024;

function refused(path: string, why: string): AppError {
  return new AppError("validation_failed", `The build's output can't be used: ${path} ${why}.`);
}

const badName = /[\p{Cc}\\\ufffd]/u;

/**
 * Dotfiles and source maps never become part of a site, except `.well-known`, which RFC 8615
 * reserves.
 */
function isLeftOut(name: string, path: string): boolean {
  if (name.startsWith(".")) return path !== ".well-known";
  return name.endsWith(".map");
}

/**
 * Lists the files below a folder with lstat. Throws AppError `validation_failed` if there is
 * anything but regular files and folders, an invalid name, or more than the limits allow.
 */
export async function walkOutput(root: string, bounds: OutputBounds): Promise<WalkedFile[]> {
  const found: WalkedFile[] = [];
  let bytes = 0;
  let entriesSeen = 0;
  const turn = makeYieldToEventLoop();
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > maxDepth) throw refused(folder, "is nested too deeply");
    for (const name of readdirSync(join(root, folder)).toSorted()) {
      const path = folder === "" ? name : `${folder}/${name}`;
      entriesSeen += 1;
      if (entriesSeen > bounds.files)
        throw refused(path, `is one of more than ${bounds.files} files`);
      if (badName.test(name)) throw refused(JSON.stringify(path), "has a name that isn't allowed");
      await turn();
      const stat = lstatSync(join(root, path));
      if (stat.isDirectory()) {
        if (!isLeftOut(name, path)) await visit(path, depth + 1);
        continue;
      }
      if (!stat.isFile()) throw refused(path, "is neither a file nor a folder");
      bytes += stat.size;
      if (bytes > bounds.bytes) {
        throw refused(path, `makes it larger than ${Math.round(bounds.bytes / 2 ** 20)} MiB`);
      }
      if (isLeftOut(name, path)) continue;
      found.push({ path, source: join(root, path), bytes: stat.size, mark: fileMark(stat) });
    }
  };
  await visit("", 0);
  return found;
}

async function hashHandle(handle: FileHandle, bytes: number): Promise<string> {
  if (bytes < streamedFrom) return hashOnce("sha256", await handle.readFile());
  const hash = createHash("sha256");
  for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
  return hash.digest("hex");
}

/** SHA-256 of a regular file in hex; throws for a link. */
export async function hashFile(path: string, bytes: number): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await hashHandle(handle, bytes);
  } finally {
    await handle.close();
  }
}

let buffer = Buffer.alloc(0);

/** SHA-256 in hex of the first `bytes`, at most 4 MiB, of an open file that may be growing. */
export function hashOpen(file: number, bytes: number): string {
  if (buffer.length < bytes) buffer = Buffer.allocUnsafeSlow(bytes);
  let read = 0;
  while (read < bytes) {
    const more = readSync(file, buffer, read, bytes - read, read);
    if (more === 0) break;
    read += more;
  }
  return hashOnce("sha256", buffer.subarray(0, read));
}

function adoptSmall(path: string, bytes: number): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    fchmodSync(file, 0o644);
    if (process.getuid?.() === 0) fchownSync(file, 0, process.getgid?.() ?? 0);
    return hashOpen(file, bytes);
  } finally {
    closeSync(file);
  }
}

/** Hashes a file made by a sandbox and takes it over, because it may have any owner and mode. */
async function adopt(path: string, bytes: number): Promise<string> {
  if (bytes < streamedFrom) return adoptSmall(path, bytes);
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await handle.chmod(0o644);
    const uid = process.getuid?.();
    if (uid === 0) await handle.chown(0, process.getgid?.() ?? 0);
    return await hashHandle(handle, bytes);
  } finally {
    await handle.close();
  }
}

/** Hashes files of a finished build's output. The processes that wrote it must have ended. */
export async function hashOutput(files: WalkedFile[]): Promise<OutputFile[]> {
  const turn = makeYieldToEventLoop();
  return mapConcurrently(files, 8, async (file) => {
    await turn();
    return { ...file, hash: await adopt(file.source, file.bytes) };
  });
}
