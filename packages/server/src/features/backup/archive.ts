import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import { createGzip, type ZlibOptions } from "node:zlib";
import { AppError } from "../../kit/errors.ts";
import { makeArchiveBlocks, maxPendingBytes } from "./archive-blocks.ts";
import { type BackupHead, type BackupList, maxListBytesFor, names } from "./manifest.ts";
import { paddingBytes, tarEnd, tarHeader } from "./tar-header.ts";

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

/** Bytes of compressed data in one piece; each takes a turn of the event loop. */
const compressedBytes = 256 * 1024;

async function* walk(dir: string, below: string): AsyncGenerator<Entry> {
  // So that the command can be interrupted.
  await turn();
  const found = readdirSync(join(dir, below), { withFileTypes: true });
  for (const { name } of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === "" ? name : `${below}/${name}`;
    const info = lstatSync(join(dir, path));
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

type Blocks = ReturnType<typeof makeArchiveBlocks>;

function* addText(
  blocks: Blocks,
  value: unknown,
  header: { name: string; mtime: Date },
): Generator<Buffer> {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
  const given = { type: "file", size: bytes.length, mode: 0o600 } as const;
  yield* blocks.append(tarHeader({ ...header, ...given }));
  yield* blocks.append(bytes);
  yield* blocks.append(Buffer.alloc(paddingBytes(bytes.length)));
}

function* addEntries(
  blocks: Blocks,
  { dir, entries, onFile }: Pick<ArchiveOptions, "dir" | "entries" | "onFile">,
): Generator<Buffer, BackupList> {
  const list: BackupList = { files: [] };
  const known = new Map<string, BackupList["files"][number]>();
  for (const { path, bytes, mode, mtime, inode } of entries) {
    if (bytes === undefined) {
      const header = { name: `${path}/`, type: "directory", size: 0, mode, mtime } as const;
      yield* blocks.append(tarHeader(header));
      continue;
    }
    const twin = known.get(inode);
    if (twin !== undefined) {
      const link = { name: path, type: "link", linkname: twin.path, size: 0, mode, mtime } as const;
      yield* blocks.append(tarHeader(link));
      list.files.push({ ...twin, path });
    } else {
      yield* blocks.append(tarHeader({ name: path, type: "file", size: bytes, mode, mtime }));
      const sha256 = yield* blocks.appendFile(join(dir, path), bytes);
      yield* blocks.append(Buffer.alloc(paddingBytes(bytes)));
      const listed = { path, bytes, sha256 };
      known.set(inode, listed);
      list.files.push(listed);
    }
    onFile(bytes);
  }
  return list;
}

function* archiveOf(parts: ArchiveOptions): Generator<Buffer> {
  const blocks = makeArchiveBlocks();
  const mtime = new Date(parts.head.createdAt);
  yield* addText(blocks, parts.head, { name: names.head, mtime });
  const list = yield* addEntries(blocks, parts);
  yield* addText(blocks, list, { name: names.list, mtime });
  yield* blocks.append(tarEnd);
  yield blocks.take();
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
  const gzip = createGzip({
    level,
    chunkSize: compressedBytes,
    // The pipeline takes the next block only while fewer bytes than this are waiting.
    writableHighWaterMark: maxPendingBytes,
  } as ZlibOptions);
  const { end, signal } = parts;
  try {
    await pipeline(archiveOf(parts), gzip, parts.sink, { end, signal });
  } finally {
    parts.signal.throwIfAborted();
  }
}
