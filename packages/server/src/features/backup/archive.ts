import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { createTarPacker, type TarHeader, type TarPackController } from "modern-tar";
import { AppError } from "../../kit/errors.ts";
import { type BackupHead, type BackupList, maxListBytesFor, names } from "./manifest.ts";

/** A file or folder that becomes an entry of an archive. */
export interface Entry {
  path: string;
  /** Undefined for a folder. */
  bytes?: number;
  mode: number;
  mtime: Date;
  /** Identifies the file on disk, because some have two names. */
  inode: string;
}

/**
 * Most of a backup is images and videos, which can't be compressed; text compresses well even at
 * this level.
 */
const level = 1;

async function* walk(dir: string, below: string): AsyncGenerator<Entry> {
  const found = await readdir(join(dir, below), { withFileTypes: true });
  for (const { name } of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === "" ? name : `${below}/${name}`;
    const info = await lstat(join(dir, path));
    const { mode, mtime } = info;
    const entry: Entry = { path, mode: mode & 0o777, mtime, inode: `${info.dev}:${info.ino}` };
    if (info.isDirectory()) {
      yield entry;
      yield* walk(dir, path);
    } else yield { ...entry, bytes: info.size };
  }
}

/** Everything below a folder, with each folder before its content. */
export function listEntries(dir: string): Promise<Entry[]> {
  return Array.fromAsync(walk(dir, ""));
}

/** Throws for what no restore would accept: the list would be too long. */
function assertListed(entries: readonly Entry[]): void {
  const files = entries.filter(({ bytes }) => bytes !== undefined);
  const sha256 = "0".repeat(64);
  const lineOf = ({ path, bytes }: Entry) => JSON.stringify({ path, bytes, sha256 });
  const length = files.reduce((sum, file) => sum + Buffer.byteLength(lineOf(file)) + 1, 100);
  if (length <= maxListBytesFor(files.length)) return;
  const message = `The instance has too many files for a backup: the names of ${files.length} files don't fit into its list.`;
  throw new AppError("too_large", message);
}

async function addText(controller: TarPackController, name: string, value: unknown): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
  const writer = controller.add({ name, size: bytes.length, mode: 0o600 }).getWriter();
  await writer.write(bytes);
  await writer.close();
}

/** Adds a file and returns its SHA-256. */
async function addFile(
  controller: TarPackController,
  file: string,
  header: TarHeader,
): Promise<string> {
  const hash = createHash("sha256");
  const writer = controller.add(header).getWriter();
  // An aborted archive already fails on writing or closing; this would only repeat the error.
  writer.closed.catch(() => {});
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    hash.update(chunk as Buffer);
    await writer.write(chunk as Buffer);
  }
  await writer.close();
  return hash.digest("hex");
}

async function addEntries(
  controller: TarPackController,
  { dir, entries, onFile }: Pick<ArchiveOptions, "dir" | "entries" | "onFile">,
): Promise<BackupList> {
  const list: BackupList = { files: [] };
  const known = new Map<string, BackupList["files"][number]>();
  for (const { path, bytes, mode, mtime, inode } of entries) {
    if (bytes === undefined) {
      await controller.add({ name: `${path}/`, type: "directory", size: 0, mode, mtime }).close();
      continue;
    }
    const twin = known.get(inode);
    if (twin !== undefined) {
      const link = { name: path, type: "link", linkname: twin.path, size: 0, mode, mtime } as const;
      await controller.add(link).close();
      list.files.push({ ...twin, path });
    } else {
      const header = { name: path, size: bytes, mode, mtime };
      const sha256 = await addFile(controller, join(dir, path), header);
      const listed = { path, bytes, sha256 };
      known.set(inode, listed);
      list.files.push(listed);
    }
    onFile(bytes);
  }
  return list;
}

export interface ArchiveOptions {
  dir: string;
  entries: readonly Entry[];
  head: BackupHead;
  sink: Writable;
  /** Whether to close the sink after the archive; not for stdout. */
  end: boolean;
  signal: AbortSignal;
  /** Called after each file, with its size. */
  onFile(bytes: number): void;
}

/**
 * Writes a folder as a tar archive compressed with gzip: first the head, then folders and files,
 * finally the list with each file's SHA-256. A file with two names is written once. Throws
 * `too_large`, before writing anything, if there are more files than the list can hold.
 */
export async function writeArchive(parts: ArchiveOptions): Promise<void> {
  assertListed(parts.entries);
  const { readable, controller } = createTarPacker();
  const feed = async () => {
    try {
      await addText(controller, names.head, parts.head);
      await addText(controller, names.list, await addEntries(controller, parts));
      controller.finalize();
    } catch (error) {
      controller.error(error);
      throw error;
    }
  };
  const flow = pipeline(Readable.fromWeb(readable as never), createGzip({ level }), parts.sink, {
    end: parts.end,
    signal: parts.signal,
  });
  const [flowed, fed] = await Promise.allSettled([flow, feed()]);
  parts.signal.throwIfAborted();
  if (flowed.status === "rejected") throw flowed.reason;
  if (fed.status === "rejected") throw fed.reason;
}
