import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, link, mkdir, open, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { AppError, isDiskFull } from "../../kit/errors.ts";
import { isBackupFolder, isBackupPath, mayBeShared } from "./backup-path.ts";
import {
  type BackupHead,
  type BackupList,
  damagedBackupError,
  type ListedFile,
  maxListBytesFor,
  names,
  notABackup,
  readHead,
  readList,
} from "./manifest.ts";

/** Maximum size of the head, bytes. */
const maxHeadBytes = 4 * 2 ** 20;
/** Disk space to leave free, bytes. */
const reservedBytes = 64 * 2 ** 20;

/** Files that only their owner may read, whatever the backup says. */
const isPrivate = (path: string) =>
  path === names.dump || /^data\/(keys|references|vitrine\.db)(\/|$)/.test(path);

/**
 * Files get no more permissions than the program itself grants; secrets are readable only by their
 * owner.
 */
function modeOf(path: string, mode: number): number {
  const run = (mode & 0o100) !== 0 && path.startsWith("content/");
  if (isPrivate(path) || (mode & 0o077) === 0) return run ? 0o700 : 0o600;
  return run ? 0o755 : 0o644;
}

export interface UnpackResult {
  head: BackupHead;
  /** The backup's own list, all of it verified. */
  files: ListedFile[];
}

interface Progress {
  head: BackupHead;
  found: Map<string, ListedFile>;
  folders: number;
  bytes: number;
}

async function textOf(entry: ParsedTarEntry, limit: number): Promise<string> {
  if (entry.header.type !== "file" || entry.header.size > limit) {
    throw damagedBackupError(`${entry.header.name} isn't what its name says`);
  }
  return new Response(entry.body).text();
}

async function makeFolder(dir: string, path: string, mode: number): Promise<void> {
  const isClosed = isPrivate(path) || (mode & 0o077) === 0;
  await mkdir(join(dir, path), { recursive: true, mode: isClosed ? 0o700 : 0o755 });
}

async function takeFile(dir: string, path: string, { header, body }: ParsedTarEntry) {
  const hash = createHash("sha256");
  await mkdir(dirname(join(dir, path)), { recursive: true });
  const mode = modeOf(path, header.mode ?? 0o644);
  const handle = await open(join(dir, path), "wx", mode);
  let bytes = 0;
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      bytes += chunk.length;
      await handle.writeFile(chunk);
    }
    await handle.chmod(mode);
    const mtime = header.mtime ?? new Date();
    await handle.utimes(mtime, mtime);
  } finally {
    await handle.close();
  }
  return { path, bytes, sha256: hash.digest("hex") };
}

/** A second name of an earlier file. */
async function takeLink(dir: string, path: string, to: ListedFile): Promise<ListedFile> {
  const [from, target] = [join(dir, to.path), join(dir, path)];
  await mkdir(dirname(target), { recursive: true });
  await link(from, target).catch(() => copyFile(from, target));
  return { ...to, path };
}

function assertBounds({ head, found, bytes }: Progress): void {
  if (found.size <= head.files && bytes <= head.bytes) return;
  throw damagedBackupError("it contains more than its list says");
}

async function takeEntry(dir: string, entry: ParsedTarEntry, progress: Progress): Promise<void> {
  const { found, head } = progress;
  const { header } = entry;
  const path = header.name.replace(/\/$/, "");
  const isFolder = header.type === "directory";
  const isPlain = !Object.keys(header.pax ?? {}).some((key) => key.startsWith("GNU."));
  const isAllowed = isFolder ? isBackupFolder(path) : isBackupPath(header.name);
  if (!isPlain || !isAllowed || found.has(path)) {
    throw damagedBackupError(
      `it contains an unexpected entry ${JSON.stringify(header.name.slice(0, 200))}`,
    );
  }
  if (isFolder) {
    progress.folders += 1;
    if (progress.folders > 10 * head.files + 1000)
      throw damagedBackupError("it contains more than its list says");
    await entry.body.cancel();
    return makeFolder(dir, path, header.mode ?? 0o755);
  }
  if (header.type === "file") {
    progress.bytes += header.size;
    assertBounds(progress);
    found.set(path, await takeFile(dir, path, entry));
  } else {
    const first = found.get(header.linkname ?? "");
    const isTwin = first !== undefined && mayBeShared(path) && mayBeShared(first.path);
    // Other links and devices could lead out of the folder.
    if (header.type !== "link" || !isTwin) {
      throw damagedBackupError(`${JSON.stringify(path)} isn't a file`);
    }
    await entry.body.cancel();
    progress.bytes += first.bytes;
    found.set(path, await takeLink(dir, path, first));
  }
  assertBounds(progress);
}

/** Compares the unpacked files with the list, in both directions. */
function assertSame({ found, head }: Progress, { files }: BackupList): void {
  for (const { path, bytes, sha256 } of files) {
    const there = found.get(path);
    if (there === undefined) throw damagedBackupError(`${path} is missing`);
    if (there.bytes !== bytes || there.sha256 !== sha256)
      throw damagedBackupError(`${path} has changed`);
  }
  if (files.length !== found.size || found.size !== head.files) {
    throw damagedBackupError("its files don't match its list");
  }
}

async function assertRoom(dir: string, { bytes }: BackupHead): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  if (bavail * bsize >= bytes + reservedBytes) return;
  const gigabytes = (size: number) => (size / 1e9).toFixed(1);
  const message = `${gigabytes(bytes + reservedBytes)} GB of disk space are needed, but only ${gigabytes(bavail * bsize)} GB are free. Free some space and try again.`;
  throw new AppError("disk_full", message);
}

/** A file, or a backup that is read from elsewhere. */
export type BackupSource = string | { read(): AsyncIterable<Uint8Array> };

export interface UnpackOptions {
  source: BackupSource;
  /** An empty folder; after a failure, the caller removes its content. */
  dir: string;
  signal: AbortSignal;
  /** Called before anything is written; throws to refuse the backup. */
  onHead(head: BackupHead): Promise<void>;
}

function openEntries({ source, signal }: UnpackOptions): ReadableStream<ParsedTarEntry> {
  const archive =
    typeof source === "string" ? createReadStream(source) : Readable.from(source.read());
  // Errors surface in the reader.
  const opened = pipeline(archive, createGunzip(), () => {});
  signal.addEventListener("abort", () => opened.destroy(signal.reason as Error), { once: true });
  const bytes = Readable.toWeb(opened) as unknown as ReadableStream<Uint8Array>;
  return bytes.pipeThrough(createTarDecoder({ strict: true }) as never);
}

async function readEntries(options: UnpackOptions): Promise<UnpackResult> {
  const { dir, signal } = options;
  let progress: Progress | null = null;
  let list: BackupList | null = null;
  for await (const entry of openEntries(options)) {
    signal.throwIfAborted();
    const { name } = entry.header;
    if (progress === null) {
      if (name !== names.head) throw notABackup();
      const head = readHead(await textOf(entry, maxHeadBytes));
      await options.onHead(head);
      await assertRoom(dir, head);
      progress = { head, found: new Map(), folders: 0, bytes: 0 };
    } else if (list !== null) {
      throw damagedBackupError("there is data after its end");
    } else if (name === names.list) {
      list = readList(await textOf(entry, maxListBytesFor(progress.head.files)));
    } else {
      await takeEntry(dir, entry, progress);
    }
  }
  if (progress === null) throw notABackup();
  if (list === null) throw damagedBackupError("its end is missing");
  assertSame(progress, list);
  return { head: progress.head, files: list.files };
}

/**
 * Unpacks a backup into a folder, never outside it, and compares every file with the backup's list.
 * Throws `validation_failed` for a file that isn't a backup or is damaged, and `disk_full`.
 */
export async function unpack(options: UnpackOptions): Promise<UnpackResult> {
  let isBackup = false;
  const onHead = (head: BackupHead) => {
    isBackup = true;
    return options.onHead(head);
  };
  try {
    return await readEntries({ ...options, onHead });
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof AppError || isDiskFull(error)) throw error;
    // A system error, not caused by the file's content.
    if (/^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
    if (!isBackup) throw notABackup(error);
    throw damagedBackupError("it can't be read to the end", error);
  }
}
