import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { removeTree } from "../../../platform/files.ts";
import { type Manifest, type ManifestFile, readManifest, urlPathOf } from "./artifact.ts";
import { contentMark, fileMark } from "./file-mark.ts";
import { hashOpen } from "./output.ts";
import { makeYieldToEventLoop } from "./yield-to-event-loop.ts";

// A large site's pages are written one after the other for many seconds, and nearly all are as they
// were. While the build still writes, this looks at what it has written and puts what is unchanged
// into the artifact's folder, so that little is left to be done when the build ends. It can't be
// misled into more than that: what it hashes is only compared with what this program stored before,
// and it is the stored file, hashed as well, that is placed.

/** A usual build has ended before it is looked at for the first time. */
const typicalBuildMs = 2000;
const pauseMs = 250;
/** A file that changed this lately can change again without a new time: clocks tick every 4 to 10 ms. */
const settledMs = 100;
const maxFileBytes = 4 * 1024 * 1024;
const maxDepth = 32;

/** A file of the output that is in the artifact's folder already, with its encodings. */
export interface PlacedFile {
  /** The file of the output (fileMark) when it was read. */
  seen: string;
  /** The file in the artifact (contentMark). */
  placed: string;
  entry: ManifestFile;
}

export interface FollowedOutput {
  /** The artifact's folder, which is to be: the caller's from now on. */
  dir: string;
  /** By path. */
  placed: Map<string, PlacedFile>;
}

export interface OutputFollower {
  /** What has been placed until now, by path. */
  readonly placed: ReadonlyMap<string, PlacedFile>;
  /** Ends the looking; what has been placed until then. */
  stop(): Promise<FollowedOutput>;
}

/** The files of the artifact that was used last. */
async function lastFiles(artifactsDir: string): Promise<Manifest["files"]> {
  const names = (await readdir(artifactsDir)).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
  let newest = { name: "", mtimeMs: -1 };
  for (const name of names) {
    const { mtimeMs } = await stat(join(artifactsDir, name));
    if (mtimeMs > newest.mtimeMs) newest = { name, mtimeMs };
  }
  if (newest.name === "") return {};
  return (await readManifest(join(artifactsDir, newest.name))).files;
}

/**
 * Opens what a folder that is open holds. Page code is still running: it could put a link in the
 * place of a folder, so no path of more than one step is followed, and a FIFO is not waited for.
 */
function openIn(folder: number, name: string, flags: number): number | undefined {
  try {
    const path = `/proc/self/fd/${folder}/${name}`;
    return openSync(path, constants.O_NOFOLLOW | constants.O_NONBLOCK | flags);
  } catch {
    return undefined;
  }
}

interface PlaceDependencies {
  dir: string;
  store: string;
  last: Manifest["files"];
  /** By path the files (contentMark) of the last artifact that this process has hashed. */
  verified: ReadonlyMap<string, string>;
  placed: Map<string, PlacedFile>;
}

/** Links a stored file with its encodings into the artifact; its mark, or undefined where it is not what it was. */
function linkStored(
  { dir, store, verified }: PlaceDependencies,
  entry: ManifestFile,
): string | undefined {
  const target = join(dir, entry.file);
  const { br, gzip } = entry.encodings;
  const links = ["", ...(br ? [".br"] : []), ...(gzip ? [".gz"] : [])];
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
    for (const suffix of links) linkSync(join(store, entry.hash + suffix), target + suffix);
    const file = openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const info = fstatSync(file);
      const mark = contentMark(info);
      if (verified.get(entry.file) === mark || hashOpen(file, info.size) === entry.hash)
        return mark;
    } finally {
      closeSync(file);
    }
  } catch {
    // Not in the store, or no links here: the file is left for the end.
  }
  for (const suffix of links) rmSync(target + suffix, { force: true });
  return undefined;
}

/** Whether a file has been dealt with; false: it may still be being written. */
function placeOpen(placing: PlaceDependencies, path: string, file: number): boolean {
  const info = fstatSync(file);
  if (Date.now() - info.ctimeMs < settledMs) return false;
  const entry = placing.last[urlPathOf(path)];
  if (!info.isFile() || info.size > maxFileBytes || entry === undefined) return true;
  if (entry.file !== path || entry.bytes !== info.size) return true;
  if (hashOpen(file, info.size) !== entry.hash) return true;
  const placed = linkStored(placing, entry);
  if (placed !== undefined) placing.placed.set(path, { seen: fileMark(info), placed, entry });
  return true;
}

/** Looks again and again at a folder that is being written; each file is dealt with once. */
function makeScan(placing: PlaceDependencies, isStopped: () => boolean) {
  const turn = makeYieldToEventLoop();
  const dealtWith = new Set<string>();

  function scanFile(folder: number, name: string, path: string): void {
    const file = openIn(folder, name, constants.O_RDONLY);
    if (file === undefined) return;
    try {
      if (placeOpen(placing, path, file)) dealtWith.add(path);
    } finally {
      closeSync(file);
    }
  }

  async function scanFolder(folder: number, at: string, depth: number): Promise<void> {
    const entries: Dirent[] = readdirSync(`/proc/self/fd/${folder}`, { withFileTypes: true });
    for (const entry of entries) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (dealtWith.has(path)) continue;
      await turn();
      if (isStopped()) return;
      if (entry.isFile()) scanFile(folder, entry.name, path);
      if (!entry.isDirectory() || depth === maxDepth) continue;
      const below = openIn(folder, entry.name, constants.O_RDONLY | constants.O_DIRECTORY);
      if (below === undefined) continue;
      try {
        await scanFolder(below, path, depth + 1);
      } finally {
        closeSync(below);
      }
    }
    // A page's folder gets nothing more; one with folders in it, as of all projects, may.
    const isLeaf = entries.length > 0 && entries.every((entry) => entry.isFile());
    if (isLeaf && entries.every((entry) => dealtWith.has(`${at}/${entry.name}`))) dealtWith.add(at);
  }
  return scanFolder;
}

/**
 * Begins to follow a build's output, which is being written, on the way to the next artifact.
 * `firstPollMs` is 2,000 unless told; `verified` are the marks of the last artifact's files that this
 * process has hashed, and none unless told.
 */
export function followOutput(
  outDir: string,
  artifactsDir: string,
  options: { firstPollMs?: number; verified?: ReadonlyMap<string, string> } = {},
): OutputFollower {
  const { firstPollMs: firstScanMs = typicalBuildMs, verified = new Map<string, string>() } =
    options;
  const dir = join(artifactsDir, `.new-${process.pid}-${randomBytes(6).toString("hex")}`);
  const placed = new Map<string, PlacedFile>();
  const stopping = new AbortController();
  const { signal } = stopping;

  async function follow(): Promise<void> {
    await pause(firstScanMs, undefined, { signal });
    const last = await lastFiles(artifactsDir);
    await mkdir(dir, { recursive: true, mode: 0o755 });
    const store = join(artifactsDir, ".store");
    const scan = makeScan({ dir, store, last, verified, placed }, () => signal.aborted);
    const root = openSync(outDir, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      while (!signal.aborted) {
        await scan(root, "", 0);
        await pause(pauseMs, undefined, { signal });
      }
    } finally {
      closeSync(root);
    }
  }

  // What it fails at is done when the build has ended, as is what it does not get to.
  const following = follow().catch(() => {});
  return {
    placed,
    async stop() {
      stopping.abort();
      await following;
      return { dir, placed };
    },
  };
}

/** Removes what was placed for an artifact that is not to be. */
export async function removeFollowed({ dir, placed }: FollowedOutput): Promise<void> {
  placed.clear();
  await removeTree(dir);
}
