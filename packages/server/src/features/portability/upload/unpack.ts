import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { AppError } from "../../../kit/errors.ts";
import { removeTree } from "../../../platform/files.ts";
import { isMediaName, isSvgName } from "../folder/media-names.ts";
import type { Skipped } from "../problem.ts";
import { dataOffset, listZip, type ZipEntry } from "./zip-entries.ts";

export interface UnpackLimits {
  /** Maximum number of files in the archive, including those that are left out. */
  maxEntries: number;
  /** Maximum bytes of one image or video. */
  maxMediaBytes: number;
  /** Maximum bytes of all unpacked files, including damaged ones. */
  maxTotalBytes: number;
}

/** The files that an import reads: texts, data, configurations. */
const isReadable = /\.(?:md|markdown|mdown|mkd|mdx|html?|njk|liquid|json|toml|ya?ml|svg)$/i;
const isProgram = /\.(?:[cm]?[jt]s|[jt]sx)$/i;
/** Larger programs contain no handwritten list. */
const maxProgramBytes = 256 * 1024;
const isConfiguration = /(?:^|\/)(?:\.eleventy|[\w.-]+\.config|gatsby-config)\.(?:[cm]?js|ts)$/;
/** Also the maximum for a drawing. */
const maxTextBytes = 1024 * 1024 + 1;
const maxNameLength = 1000;

/** Folders that no import reads; unpacking them would waste space. */
const isIgnored = /(?:^|\/)(?:node_modules|__MACOSX|\.(?!eleventy\.c?js$)[^/]*)(?:\/|$)/;

type Target = { path: string; maxBytes: number } | { reason: string } | null;

/** Where an entry is unpacked, or why it isn't; null if no import needs it. */
function targetOf(entry: ZipEntry, { maxMediaBytes }: UnpackLimits): Target {
  const { name, bytes, method } = entry;
  const path = name.replaceAll("\\", "/").replace(/^\.\//, "");
  if (path.endsWith("/")) return null;
  const parts = path.split("/");
  const isOutside = parts.some((part) => part === ".." || part === "." || part === "");
  if (!isOutside && isIgnored.test(path)) return null;
  const isMedia = isMediaName(path) && !isSvgName(path);
  const isSmallProgram = isProgram.test(path) && bytes <= maxProgramBytes;
  if (!isMedia && !isReadable.test(path) && !isConfiguration.test(path) && !isSmallProgram) {
    return null;
  }
  // eslint-disable-next-line no-control-regex
  if (isOutside || /[\u0000-\u001F\u007F]/.test(path) || /^[a-z]:/i.test(path)) {
    return { reason: "has a name that points outside the archive" };
  }
  const isLong = path.length > maxNameLength || parts.some((part) => Buffer.byteLength(part) > 255);
  if (isLong) return { reason: "has a name that is too long" };
  if (entry.isLink) return { reason: "is a symbolic link, and links aren't followed" };
  if (entry.isEncrypted) return { reason: "is encrypted" };
  if (method !== 0 && method !== 8) return { reason: "uses an unknown compression method" };
  const maxBytes = isMedia ? maxMediaBytes : maxTextBytes;
  if (bytes > maxBytes) return { reason: `is larger than ${maxBytes} bytes` };
  return { path, maxBytes };
}

/** Thrown for a single file; the others are unpacked. */
class UnpackError extends Error {}

/** Unpacks one file. Throws `UnpackError` if it doesn't match its entry. */
async function unpackEntry(
  { file, zip, size }: { file: FileHandle; zip: string; size: number },
  { entry, to }: { entry: ZipEntry; to: string },
): Promise<void> {
  const start = await dataOffset(file, size, entry);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  let [bytes, crc] = [0, 0];
  const check = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      // A decompression bomb claims to be small.
      if (bytes > entry.bytes) throw new UnpackError("is larger than the archive says");
      crc = crc32(chunk, crc);
      yield chunk;
    }
    if (bytes !== entry.bytes || crc !== entry.crc) throw new UnpackError("is damaged");
  };
  if (entry.compressedBytes === 0 && entry.bytes > 0) throw new UnpackError("is damaged");
  const output = createWriteStream(to, { flags: "wx", mode: 0o600 });
  if (entry.compressedBytes === 0) {
    await pipeline([], output);
    return;
  }
  const end = start + entry.compressedBytes - 1;
  const input = createReadStream(zip, { start, end });
  await (entry.method === 8
    ? pipeline(input, createInflateRaw(), check, output)
    : pipeline(input, check, output));
}

/** Why a file couldn't be unpacked; null if the failure isn't about this file. */
function faultOf(error: unknown): string | null {
  if (error instanceof UnpackError) return error.message;
  const { code = "" } = error as { code?: string };
  if (code.startsWith("Z_") || code === "ERR_BUFFER_OUT_OF_BOUNDS") return "is damaged";
  if (error instanceof AppError && error.code === "bad_media") return "is damaged";
  if (code === "EEXIST" || code === "ENOTDIR" || code === "EISDIR")
    return "is in the archive twice";
  return null;
}

/**
 * Unpacks the files of the archive `zip` that an import reads into the new folder `dir`. Links,
 * names that lead out of it, and damaged files are left out and reported. Throws `bad_media` if it
 * isn't an archive, `too_large` if it exceeds the limits.
 */
export async function unpackZip(
  zip: string,
  dir: string,
  limits: UnpackLimits,
): Promise<{ files: number; skipped: Skipped[] }> {
  const file = await open(zip, "r");
  try {
    const { size } = await file.stat();
    const entries = await listZip(file, size, limits.maxEntries);
    await mkdir(dir, { mode: 0o700 });
    const skipped: Skipped[] = [];
    let [files, total] = [0, 0];
    for (const entry of entries) {
      const target = targetOf(entry, limits);
      if (target === null) continue;
      if ("reason" in target) {
        skipped.push({ file: entry.name.slice(0, 200), reason: target.reason });
        continue;
      }
      if (total + entry.bytes > limits.maxTotalBytes) {
        const message = `The archive contains more than ${Math.floor(limits.maxTotalBytes / 1024 ** 2)} MiB. Leave out what isn’t needed.`;
        throw new AppError("too_large", message);
      }
      // Damaged or not: entries that share their bytes cost as much.
      total += entry.bytes;
      const to = join(dir, target.path);
      try {
        await unpackEntry({ file, zip, size }, { entry, to });
        files += 1;
      } catch (error) {
        const reason = faultOf(error);
        if (reason === null) throw error;
        if (reason !== "is in the archive twice") await removeTree(to);
        skipped.push({ file: target.path, reason });
      }
    }
    return { files, skipped };
  } finally {
    await file.close();
  }
}
