import type { FileHandle } from "node:fs/promises";
import { AppError } from "../../../kit/errors.ts";

/** A file in a ZIP archive, as its directory lists it (APPNOTE 4.3.12). */
export interface ZipEntry {
  name: string;
  /** 0 is stored, 8 is deflated; others aren't supported. */
  method: number;
  isEncrypted: boolean;
  /** Whether it is a link, by its Unix mode. */
  isLink: boolean;
  crc: number;
  compressedBytes: number;
  bytes: number;
  /** The position of its local header. */
  offset: number;
}

const endSignature = 0x06_05_4b_50;
const entrySignature = 0x02_01_4b_50;
const localSignature = 0x04_03_4b_50;
const endBytes = 22;
const maxCommentBytes = 0xff_ff;
/** More bytes than the directory of the maximum number of entries takes. */
const maxDirectoryBytes = 16 * 1024 * 1024;

const broken = (cause?: unknown) =>
  new AppError("bad_media", "This isn't a ZIP archive, or it is damaged.", { cause });

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead !== length) throw broken();
  return buffer;
}

async function findDirectory(file: FileHandle, size: number) {
  const length = Math.min(size, endBytes + maxCommentBytes);
  const tail = await readAt(file, size - length, length);
  let at = length - endBytes;
  while (at >= 0 && tail.readUInt32LE(at) !== endSignature) at -= 1;
  if (at < 0) throw broken();
  const [count, bytes, offset] = [
    tail.readUInt16LE(at + 10),
    tail.readUInt32LE(at + 12),
    tail.readUInt32LE(at + 16),
  ];
  if (count === 0xff_ff || offset === 0xff_ff_ff_ff) {
    throw new AppError("too_large", "The archive is too large. Leave out what isn’t needed.");
  }
  if (offset + bytes > size || bytes > maxDirectoryBytes) throw broken();
  return { count, bytes, offset };
}

function readEntry(directory: Buffer, at: number): { entry: ZipEntry; next: number } {
  if (at + 46 > directory.length || directory.readUInt32LE(at) !== entrySignature) throw broken();
  const [nameLength, extraLength, commentLength] = [
    directory.readUInt16LE(at + 28),
    directory.readUInt16LE(at + 30),
    directory.readUInt16LE(at + 32),
  ];
  const next = at + 46 + nameLength + extraLength + commentLength;
  if (next > directory.length) throw broken();
  const mode = directory.readUInt32LE(at + 38) >>> 16;
  const entry: ZipEntry = {
    name: directory.toString("utf8", at + 46, at + 46 + nameLength),
    method: directory.readUInt16LE(at + 10),
    isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
    isLink: (mode & 0xf0_00) === 0xa0_00,
    crc: directory.readUInt32LE(at + 16),
    compressedBytes: directory.readUInt32LE(at + 20),
    bytes: directory.readUInt32LE(at + 24),
    offset: directory.readUInt32LE(at + 42),
  };
  return { entry, next };
}

/**
 * Lists the entries of an archive of `size` bytes. Throws `bad_media` if it isn't one, `too_large`
 * if it needs more than 32 bits or has more than `maxEntries`.
 */
export async function listZip(
  file: FileHandle,
  size: number,
  maxEntries: number,
): Promise<ZipEntry[]> {
  if (size < endBytes) throw broken();
  const { count, bytes, offset } = await findDirectory(file, size);
  if (count > maxEntries) {
    const message = `The archive contains more than ${maxEntries} files. Leave out what isn’t needed.`;
    throw new AppError("too_large", message);
  }
  const directory = await readAt(file, offset, bytes);
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const { entry, next } = readEntry(directory, at);
    entries.push(entry);
    at = next;
  }
  return entries;
}

/** The position of an entry's bytes. Throws `bad_media` if they aren't in the archive. */
export async function dataOffset(file: FileHandle, size: number, entry: ZipEntry): Promise<number> {
  if (entry.offset + 30 > size) throw broken();
  const header = await readAt(file, entry.offset, 30);
  if (header.readUInt32LE(0) !== localSignature) throw broken();
  const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (start + entry.compressedBytes > size) throw broken();
  return start;
}
