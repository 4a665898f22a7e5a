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

// A large site's pages are written one by one over many seconds, and nearly all are unchanged.
// While the build is still writing, this reads its output and places unchanged files in the
// artifact's folder, so that little remains at the end. It can't be misled: hashes are only
// compared with what this program stored before, and the stored file, hashed as well, is placed.

/** A typical build has ended before the first check. */
const typicalBuildMs = 2000;
const pauseMs = 250;
/**
 * A file changed more recently can change again without a new time: clocks tick every 4 to 10 ms.
 */
const settledMs = 100;
const maxFileBytes = 4 * 1024 * 1024;
const maxDepth = 32;

/** A file of the output that is already in the artifact's folder, with its compressed siblings. */
export interface PlacedFile {
  /** The file of the output (fileMark) when it was read. */
  seen: string;
  /** The file in the artifact (contentMark). */
  placed: string;
  entry: ManifestFile;
}

export interface FollowedOutput {
  /** The artifact's future folder, which belongs to the caller from now on. */
  dir: string;
  /** By path. */
  placed: Map<string, PlacedFile>;
}

export interface OutputFollower {
  /** What has been placed so far, by path. */
  readonly placed: ReadonlyMap<string, PlacedFile>;
  /** Stops and returns what has been placed. */
  stop(): Promise<FollowedOutput>;
}

/** The files of the most recently used artifact. */
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
 * Opens an entry of an open folder. Page code is still running and could replace a folder by a
 * link, so no path of more than one segment is followed, and FIFOs don't block.
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
  /** The last artifact's files (contentMark) that this process has hashed, by path. */
  verified: ReadonlyMap<string, string>;
  placed: Map<string, PlacedFile>;
}

/**
 * Links a stored file with its compressed siblings into the artifact; returns its mark, or
 * undefined if it has changed.
 */
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
    // Not in the store, or no support for links: the file is left for the end.
  }
  for (const suffix of links) rmSync(target + suffix, { force: true });
  return undefined;
}

/** Whether a file is done; false if it may still be being written. */
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

/** Repeatedly scans a folder that is being written; handles each file once. */
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
    // A page's folder gets no more files; one with subfolders, such as that of all projects, may.
    const isLeaf = entries.length > 0 && entries.every((entry) => entry.isFile());
    if (isLeaf && entries.every((entry) => dealtWith.has(`${at}/${entry.name}`))) dealtWith.add(at);
  }
  return scanFolder;
}

/**
 * Starts following a build's output while it is written. `firstPollMs` defaults to 2,000;
 * `verified` are the marks of the last artifact's files that this process has hashed, by default
 * none.
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

  // Whatever fails or isn't reached here is done when the build has ended.
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

/** Removes what was placed for an artifact that won't be made. */
export async function removeFollowed({ dir, placed }: FollowedOutput): Promise<void> {
  placed.clear();
  await removeTree(dir);
}
