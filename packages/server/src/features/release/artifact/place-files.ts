import { lstatSync, mkdirSync, statSync } from "node:fs";
import { lstat, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { undefinedIfMissing } from "../../../platform/files.ts";
import { contentType, isCompressible, type ManifestFile } from "./artifact.ts";
import { linkOrCopy, makeDurable, moveFile, putStored, takeStored } from "./content-store.ts";
import { type Effort, effortFor, encodedFrom, writeEncodings } from "./encodings.ts";
import { contentMark } from "./file-mark.ts";
import type { PlacedFile } from "./follow-output.ts";
import { hashFile, type OutputFile } from "./output.ts";
import { scriptSourcesOf } from "./script-sources.ts";
import { makeYieldToEventLoop } from "./yield-to-event-loop.ts";

/** A file placed in the artifact that isn't in the store yet. */
interface Fresh {
  path: string;
  name: string;
}

interface Placement {
  entry: ManifestFile;
  fresh: Fresh[];
  /** Its mark if exactly the file that was hashed is in the artifact. */
  verified?: string;
}

interface Placing {
  dir: string;
  store: string;
  effort: Effort;
  /** Every path of the output: a compressed sibling never takes the name of a file. */
  outputPaths: ReadonlySet<string>;
  /** The marks of files that this process has hashed, by path. */
  known: ReadonlyMap<string, string>;
}

async function placeEncodings(
  file: OutputFile,
  isStored: boolean,
  placing: Placing,
): Promise<{ sizes: { br?: number; gz?: number }; fresh: Fresh[] }> {
  const target = join(placing.dir, file.path);
  if (!isStored) {
    const sizes = await writeEncodings(target, target, placing.effort);
    const fresh = Object.keys(sizes).map((suffix) => ({
      path: `${target}.${suffix}`,
      name: `${file.hash}.${suffix}`,
    }));
    return { sizes, fresh };
  }
  // A stored content was compressed when it was stored, or found not to be worth it.
  const sizes: { br?: number; gz?: number } = {};
  for (const suffix of ["br", "gz"] as const) {
    const path = `${target}.${suffix}`;
    if (await takeStored(placing.store, `${file.hash}.${suffix}`, path)) {
      sizes[suffix] = statSync(path).size;
    }
  }
  return { sizes, fresh: [] };
}

function mayEncode(file: OutputFile, type: string, taken: ReadonlySet<string>): boolean {
  const siblings = [`${file.path}.br`, `${file.path}.gz`];
  return (
    isCompressible(type) && file.bytes >= encodedFrom && !siblings.some((path) => taken.has(path))
  );
}

/**
 * Links a stored content to `target` and returns its mark; undefined if there is none, or one that is
 * damaged and is replaced.
 */
async function takeIntact(
  file: OutputFile,
  target: string,
  { store, known }: Placing,
): Promise<string | undefined> {
  if (!(await takeStored(store, file.hash, target))) return undefined;
  const mark = contentMark(lstatSync(target));
  if (known.get(file.path) === mark) return mark;
  if ((await hashFile(target, file.bytes)) === file.hash) return mark;
  await Promise.all([target, join(store, file.hash)].map((path) => rm(path, { force: true })));
  return undefined;
}

async function placeFile(file: OutputFile, placing: Placing): Promise<Placement> {
  const target = join(placing.dir, file.path);
  const storedMark = await takeIntact(file, target, placing);
  const isStored = storedMark !== undefined;
  const fresh: Fresh[] = [];
  if (!isStored) await moveFile(file.source, target);
  const type = contentType(file.path);
  const entry: ManifestFile = {
    file: file.path,
    hash: file.hash,
    bytes: file.bytes,
    type,
    encodings: {},
  };
  if (mayEncode(file, type, placing.outputPaths)) {
    const { sizes, fresh: encoded } = await placeEncodings(file, isStored, placing);
    if (sizes.br !== undefined) entry.encodings.br = { bytes: sizes.br };
    if (sizes.gz !== undefined) entry.encodings.gzip = { bytes: sizes.gz };
    fresh.push(...encoded);
  }
  if (type.startsWith("text/html")) entry.scripts = await scriptSourcesOf(target, file.bytes);
  // Last, because a content in the store has its compressed siblings there as well.
  if (isStored) return { entry, fresh, verified: storedMark };
  fresh.push({ path: target, name: file.hash });
  return { entry, fresh, verified: contentMark(lstatSync(target)) };
}

async function makeFolders(root: string, paths: string[]): Promise<void> {
  const folders = new Set(paths.map((path) => dirname(path)));
  const turn = makeYieldToEventLoop();
  for (const folder of folders) {
    await turn();
    mkdirSync(join(root, folder), { recursive: true, mode: 0o755 });
  }
}

/** Links files of a release with their compressed siblings; returns the marks of those that are known. */
async function placeKept(
  dir: string,
  { release, files }: FillOptions["kept"],
  known: ReadonlyMap<string, string>,
): Promise<[path: string, mark: string][]> {
  const marks: [string, string][] = [];
  const turn = makeYieldToEventLoop();
  for (const { file, encodings } of files) {
    await turn();
    const links = ["", ...(encodings.br ? [".br"] : []), ...(encodings.gzip ? [".gz"] : [])];
    for (const suffix of links) {
      await linkKept(join(release, file) + suffix, join(dir, file) + suffix);
    }
    const mark = contentMark(lstatSync(join(dir, file)));
    if (known.get(file) === mark) marks.push([file, mark]);
  }
  return marks;
}

/** Throws AppError `conflict` if the release is gone: it may be removed at any time. */
async function linkKept(from: string, to: string): Promise<void> {
  try {
    await linkOrCopy(from, to);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    const message = "The live site has changed since the build began. Build it again.";
    throw new AppError("conflict", message, { cause });
  }
}

/** Places a stored file; undefined if it was deleted since it was listed. */
async function placeMedia(file: OutputFile, dir: string): Promise<ManifestFile | undefined> {
  try {
    await linkOrCopy(file.source, join(dir, file.path));
  } catch (error) {
    if (await undefinedIfMissing(lstat(file.source))) throw error;
    return undefined;
  }
  return {
    file: file.path,
    hash: file.hash,
    bytes: file.bytes,
    type: contentType(file.path),
    encodings: {},
  };
}

export interface FillOptions {
  /** The artifact's folder. */
  dir: string;
  store: string;
  site: OutputFile[];
  media: OutputFile[];
  /** The site's files that are already in the folder. */
  placed: ReadonlyMap<string, PlacedFile>;
  /** The site's files that are those of a release. */
  kept: { release: string; files: ManifestFile[] };
  /** The marks of files that this process has hashed, by path. */
  known: ReadonlyMap<string, string>;
}

/**
 * Fills a folder with the artifact and syncs it. Returns its content, which is everything except
 * media deleted in the meantime, and the marks of the files hashed for it.
 */
export async function fillArtifact({
  dir,
  store,
  site,
  media,
  placed,
  kept,
  known,
}: FillOptions): Promise<{ entries: ManifestFile[]; verified: Map<string, string> }> {
  const missing = site.filter((file) => !placed.has(file.path));
  const keptPaths = kept.files.map(({ file }) => file);
  await makeFolders(dir, [...keptPaths, ...[...missing, ...media].map(({ path }) => path)]);
  const compressible = site.filter((file) => isCompressible(contentType(file.path)));
  const placing: Placing = {
    dir,
    store,
    effort: effortFor(compressible.reduce((sum, file) => sum + file.bytes, 0)),
    outputPaths: new Set([...site.map((file) => file.path), ...keptPaths]),
    known,
  };
  const turn = makeYieldToEventLoop();
  const keptMarks = await placeKept(dir, kept, known);
  const placements = await mapConcurrently(missing, 8, async (file) => {
    await turn();
    return placeFile(file, placing);
  });
  const linked = await mapConcurrently(media, 8, async (file) => {
    await turn();
    return placeMedia(file, dir);
  });
  const fresh = placements.flatMap((placement) => placement.fresh);
  await makeDurable(fresh.map((file) => file.path));
  for (const file of fresh) await putStored(store, file.path, file.name);
  const before = [...placed.values()];
  const verified = new Map(before.map(({ entry, placed: mark }) => [entry.file, mark]));
  for (const { entry, verified: mark } of placements) {
    if (mark !== undefined) verified.set(entry.file, mark);
  }
  for (const [path, mark] of keptMarks) verified.set(path, mark);
  const own = [...kept.files, ...[...before, ...placements].map(({ entry }) => entry)];
  return { entries: [...own, ...linked.filter((entry) => entry !== undefined)], verified };
}
