import { createReadStream } from "node:fs";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { fsyncFile, undefinedIfMissing } from "../../../platform/files.ts";
import { type Manifest, type ManifestFile, readManifest } from "./artifact.ts";
import { linkOrCopy } from "./content-store.ts";
import { compress, efforts } from "./encodings.ts";

const unbrotli = promisify(brotliDecompress);
const ungzip = promisify(gunzip);

/** A file of a release that isn't what its manifest says. */
export interface DamagedFile {
  entry: ManifestFile;
  /** Null for the file itself. */
  suffix: "br" | "gz" | null;
}

export interface ReleaseFolders {
  /** The release's folder; its manifest is next to it. */
  release: string;
  /** Contents of files by their hash. */
  store: string;
}

const sha256 = (data: Uint8Array) => createHash("sha256").update(data).digest("hex");

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Whether a file has the content that its entry names. */
async function isIntact(path: string, { bytes, hash }: ManifestFile): Promise<boolean> {
  const found = await undefinedIfMissing(stat(path));
  return found?.isFile() === true && found.size === bytes && (await hashOf(path)) === hash;
}

/** Whether a compressed file has the size and the content that its entry names. */
async function isIntactEncoding(path: string, suffix: "br" | "gz", entry: ManifestFile) {
  const bytes = (suffix === "br" ? entry.encodings.br : entry.encodings.gzip)?.bytes;
  const data = await undefinedIfMissing(readFile(path));
  if (data === undefined || data.length !== bytes) return false;
  const limit = { maxOutputLength: Math.max(1, entry.bytes) };
  try {
    const text = suffix === "br" ? await unbrotli(data, limit) : await ungzip(data, limit);
    return sha256(text) === entry.hash;
  } catch {
    return false;
  }
}

async function damageOf(dir: string, entry: ManifestFile): Promise<DamagedFile[]> {
  const path = join(dir, entry.file);
  const found: DamagedFile[] = [];
  if (!(await isIntact(path, entry))) found.push({ entry, suffix: null });
  for (const [suffix, encoding] of [
    ["br", entry.encodings.br],
    ["gz", entry.encodings.gzip],
  ] as const) {
    if (encoding === undefined) continue;
    if (!(await isIntactEncoding(`${path}.${suffix}`, suffix, entry)))
      found.push({ entry, suffix });
  }
  return found;
}

/** The files of a release, compressed ones too, that are missing or damaged. Reads all of them. */
export async function listDamagedFiles(release: string): Promise<DamagedFile[]> {
  const manifest: Manifest = await readManifest(`${release}.json`);
  const found = await mapConcurrently(Object.values(manifest.files), 4, (entry) =>
    damageOf(release, entry),
  );
  return found.flat();
}

/** Puts a complete file in place of a damaged one, which other releases may still share. */
async function replaceFile(path: string, write: (part: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await write(part);
    await fsyncFile(part);
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

/** The file itself can only come from the store. */
async function repairFile({ release, store }: ReleaseFolders, entry: ManifestFile): Promise<void> {
  const stored = join(store, entry.hash);
  if (!(await isIntact(stored, entry))) return;
  await replaceFile(join(release, entry.file), (part) => linkOrCopy(stored, part));
}

/** A compressed file is made again; it must have the size that responses announce. */
async function repairEncoding(
  { release }: ReleaseFolders,
  entry: ManifestFile,
  suffix: "br" | "gz",
): Promise<void> {
  const path = join(release, entry.file);
  if (!(await isIntact(path, entry))) return;
  const bytes = (suffix === "br" ? entry.encodings.br : entry.encodings.gzip)?.bytes;
  const data = await readFile(path);
  for (const effort of efforts) {
    const encoded = await compress(data, suffix, effort);
    if (encoded.length !== bytes) continue;
    await replaceFile(`${path}.${suffix}`, (part) => writeFile(part, encoded, { mode: 0o644 }));
    return;
  }
}

/**
 * Fixes files of a release: from the store, or by compressing them again. What can't be fixed so stays
 * as it is; another build makes a whole release.
 */
export async function repairDamagedFiles(folders: ReleaseFolders): Promise<void> {
  const damaged = await listDamagedFiles(folders.release);
  // Compressed files are made from these.
  for (const { entry, suffix } of damaged) if (suffix === null) await repairFile(folders, entry);
  for (const { entry, suffix } of damaged) {
    if (suffix !== null) await repairEncoding(folders, entry, suffix);
  }
}
