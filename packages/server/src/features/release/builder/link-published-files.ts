import { constants, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { mkdir, open, readdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { undefinedIfMissing } from "../../../platform/files.ts";
import { type ManifestFile, readManifest } from "../artifact/artifact.ts";
import { linkOrCopy } from "../artifact/content-store.ts";
import { contentMark } from "../artifact/file-mark.ts";
import { makeYieldToEventLoop } from "../artifact/yield-to-event-loop.ts";
import { keptFilesFile, mayKeep, offeredFilesFile, offerOf } from "./kept-files.ts";
import type { Slot } from "./sandbox-bounds.ts";

/** Where a build finds the share images that are live, below its site folder. */
export const publishedImagesFolder = "published/og";

/** Where a build finds the résumé's file that is live, below its site folder. */
export const publishedResumeFile = "published/resume.pdf";

/** Where a site has its index for searching, with its parts. */
const searchFolder = "pagefind";

/** Share images are named by what they are made of. */
const imageName = /^[0-9a-f]{32}\.png$/;

/** Links a file unless it is gone or no regular file: a release may be removed at any time. */
async function linkFile(from: string, to: string): Promise<void> {
  if (!lstatSync(from, { throwIfNoEntry: false })?.isFile()) return;
  await undefinedIfMissing(linkOrCopy(from, to));
}

/** Parts of the search index are named by what they are made of. */
const partName = /^[0-9a-f]{32}$/;
const maxParts = 100;
const maxPartFiles = 2000;

/** What a build can have of the live release. */
export interface PublishedFiles {
  /** The release's folder; null: there is none. */
  release: string | null;
  /** The share images, by their file names. */
  images: ReadonlySet<string>;
  /** The parts of the search index. */
  searchParts: string[];
  /** The files that it need not write, by path. */
  files: ReadonlyMap<string, ManifestFile>;
}

/** Media aren't made by builds, and the search index has its own way. */
const isOffered = (path: string) => !/^(?:media|pagefind)\//.test(path);

/**
 * The files of a release that a build need not write: those that this process has hashed and that are
 * unchanged since. None if the release has no manifest.
 */
async function offerFiles(
  release: string,
  verified: ReadonlyMap<string, string>,
): Promise<Map<string, ManifestFile>> {
  const offered = new Map<string, ManifestFile>();
  if (verified.size === 0) return offered;
  const { files } = await readManifest(`${release}.json`).catch(() => ({ files: {} }));
  const entries = Object.values<ManifestFile>(files);
  const paths = new Set(entries.map(({ file }) => file));
  const turn = makeYieldToEventLoop();
  for (const entry of entries) {
    const { file } = entry;
    // A file in the place of a compressed sibling keeps the other one from being compressed.
    if (!isOffered(file) || paths.has(`${file}.br`) || paths.has(`${file}.gz`)) continue;
    await turn();
    const info = lstatSync(join(release, file), { throwIfNoEntry: false });
    if (info?.isFile() && contentMark(info) === verified.get(file)) offered.set(file, entry);
  }
  return offered;
}

const nothing: PublishedFiles = {
  release: null,
  images: new Set(),
  searchParts: [],
  files: new Map(),
};

async function namesIn(folder: string, pattern: RegExp): Promise<string[]> {
  const names = (await undefinedIfMissing(readdir(folder))) ?? [];
  return names.filter((name) => pattern.test(name));
}

/**
 * Puts what takes long to draw of the live release, found by the link `current`, where a build reads
 * it: the share images and the résumé's file. What is there and still right is used again instead of
 * drawn. They are hard links in a folder that the build can't write, and only what was published is
 * ever among them, so no build changes what another one gets. Beside them are the hashes of the files
 * that it need not write. `verified` are the marks of the files that this process has hashed, by path.
 */
export async function linkPublishedFiles(
  current: string | undefined,
  slot: Slot,
  verified: ReadonlyMap<string, string> = new Map(),
): Promise<PublishedFiles> {
  const release = current === undefined ? undefined : await undefinedIfMissing(realpath(current));
  if (release === undefined) return { ...nothing };
  const from = join(release, "og");
  const images = await namesIn(from, imageName);
  const to = join(slot.site, publishedImagesFolder);
  await mkdir(to, { recursive: true, mode: 0o755 });
  const turn = makeYieldToEventLoop();
  for (const name of images) {
    await turn();
    await linkFile(join(from, name), join(to, name));
  }
  await linkFile(join(release, "resume.pdf"), join(slot.site, publishedResumeFile));
  const searchParts = (await namesIn(join(release, searchFolder), partName)).slice(0, maxParts);
  const files = await offerFiles(release, verified);
  const offers = Object.fromEntries(
    [...files].map(([path, { hash }]) => [path, offerOf(path, hash)]),
  );
  await writeFile(join(slot.site, offeredFilesFile), JSON.stringify(offers), { mode: 0o644 });
  return { release, images: new Set(images), searchParts, files };
}

/** A file of a part, without compressed siblings. */
const partFile = /^(?:pagefind-entry\.json|[\w.-]+\.pf_[a-z]+)$/;

/** The files of a part, by their paths in its folder. */
function filesOfPart(folder: string): string[] {
  const files = ["", "index/", "fragment/"].flatMap((at) =>
    readdirSync(join(folder, at))
      .filter((name) => partFile.test(name))
      .map((name) => at + name),
  );
  return files.slice(0, maxPartFiles);
}

/** Makes a folder in the output of a build that has ended; throws where a link leads elsewhere. */
function makeFolderIn(out: string, path: string): void {
  let at = out;
  for (const name of path.split("/")) {
    at = join(at, name);
    const info = lstatSync(at, { throwIfNoEntry: false });
    if (info === undefined) mkdirSync(at, { mode: 0o755 });
    else if (!info.isDirectory()) {
      throw new AppError("validation_failed", `${path} in the build's output is no folder.`);
    }
  }
}

/**
 * Links the parts of the live search index that an ended build asks for into its output; it can only
 * have those that it was offered. Throws AppError `conflict` if they are gone by now.
 */
export async function linkKeptSearchParts(
  { release, searchParts }: PublishedFiles,
  slot: Slot,
  kept: readonly string[],
): Promise<void> {
  const turn = makeYieldToEventLoop();
  for (const name of searchParts.filter((part) => kept.includes(part))) {
    const from = join(release ?? "", searchFolder, name);
    const path = `${searchFolder}/${name}`;
    try {
      for (const file of filesOfPart(from)) {
        await turn();
        makeFolderIn(slot.out, dirname(`${path}/${file}`));
        await linkOrCopy(join(from, file), join(slot.out, path, file));
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      const message = "The live site has changed since the build began. Build it again.";
      throw new AppError("conflict", message, { cause });
    }
  }
}

/** Paths are at most a few hundred bytes each. */
const maxKeptBytes = 32 * 2 ** 20;

/** What a build has named; undefined if it has named nothing. */
async function readNamed(path: string): Promise<Map<string, unknown> | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await undefinedIfMissing(open(path, flags));
  if (file === undefined) return undefined;
  try {
    const info = await file.stat();
    if (!info.isFile() || info.size > maxKeptBytes) throw new Error(`${path} is no such file`);
    return new Map(Object.entries(Object(JSON.parse(await file.readFile("utf8")))));
  } finally {
    await file.close();
  }
}

/**
 * The offered files that an ended build keeps instead of writing them. Throws AppError
 * `validation_failed` if what names them is not what a build writes.
 */
export async function readKeptFiles(
  { files }: PublishedFiles,
  slot: Slot,
): Promise<ManifestFile[]> {
  const named = await readNamed(join(slot.out, keptFilesFile)).catch((cause: unknown) => {
    const message = "The build doesn't say which files it keeps.";
    throw new AppError("validation_failed", message, { cause });
  });
  if (named === undefined) return [];
  const isKept = ([path, { hash }]: [string, ManifestFile]) =>
    named.has(path) && mayKeep(path, named.get(path), hash);
  return [...files].filter(isKept).map(([, entry]) => entry);
}
