import { hash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { fsyncFile, fsyncFolder, removeTree } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { type Manifest, type ManifestFile, readManifest } from "./artifact/artifact.ts";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { linkOrCopy, makeDurable } from "./artifact/content-store.ts";
import { hashFile, streamedFrom } from "./artifact/output.ts";
import { contentMark } from "./artifact/file-mark.ts";
import { makeYieldToEventLoop } from "./artifact/yield-to-event-loop.ts";
import { removeArtifacts } from "./artifact/stored-artifacts.ts";
import { tagFileOf } from "./source-tags/tag-file.ts";
import { type Listing, listFolder, reuseSpare, UnusualEntry } from "./spare-release.ts";

/** The source of a release: an artifact at `<dir>` with its manifest at `<dir>.json`. */
export interface ReleaseSource {
  sha: string;
  dir: string;
  /**
   * The files (contentMark) that this process has hashed since the site was built, by path. Without
   * it, as for an old build, every file is read.
   */
  verified?: ReadonlyMap<string, string>;
}

/** Where release `n` is assembled before it is moved into place. */
export function stagedPath(paths: InstancePaths, release: number): string {
  return join(paths.releases, `.staging-${release}`);
}

class DamagedArtifact extends AppError {
  constructor(files: string[], cause?: unknown) {
    const message = "The preview's files are missing or damaged. Build it again.";
    super("conflict", message, { details: { files }, cause });
  }
}

/** Media may be gigabytes; they never change and were hashed and synced when they were stored. */
function isMedia(file: string): boolean {
  return file.startsWith("media/");
}

function hasSize(path: string, bytes: number): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.size === bytes;
}

function isIntact(
  dir: string,
  entry: ManifestFile,
  verified: string | undefined,
): boolean | Promise<boolean> {
  const path = join(dir, entry.file);
  const { br, gzip } = entry.encodings;
  if (br && !hasSize(`${path}.br`, br.bytes)) return false;
  if (gzip && !hasSize(`${path}.gz`, gzip.bytes)) return false;
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.size !== entry.bytes) return false;
  if (isMedia(entry.file) || contentMark(info) === verified) return true;
  if (info.size < streamedFrom) return hash("sha256", readFileSync(path)) === entry.hash;
  return hashFile(path, info.size).then((sha) => sha === entry.hash);
}

async function assertIntact(
  dir: string,
  manifest: Manifest,
  { verified }: ReleaseSource,
): Promise<void> {
  const bad: string[] = [];
  const turn = makeYieldToEventLoop();
  for (const entry of Object.values(manifest.files)) {
    await turn();
    const intact = isIntact(dir, entry, verified?.get(entry.file));
    // Most files are small, and waiting for each takes longer than reading it.
    if (!(typeof intact === "boolean" ? intact : await intact)) bad.push(entry.file);
  }
  if (bad.length > 0) throw new DamagedArtifact(bad);
}

async function sourceManifest(source: ReleaseSource): Promise<Manifest> {
  const manifest = await readManifest(`${source.dir}.json`).catch((error: unknown) => {
    // A file that can't be read now, for example without a free file handle, says nothing about the
    // artifact.
    throw error instanceof AppError ? new DamagedArtifact([], error) : error;
  });
  if (manifest.sha !== source.sha) throw new DamagedArtifact([]);
  return manifest;
}

async function listArtifact(dir: string): Promise<Listing> {
  try {
    return await listFolder(dir);
  } catch (error) {
    if (error instanceof UnusualEntry) throw new DamagedArtifact([error.path]);
    throw (error as NodeJS.ErrnoException).code === "ENOENT"
      ? new DamagedArtifact([], error)
      : error;
  }
}

async function linkAll(source: string, target: string, { folders, files }: Listing): Promise<void> {
  await mkdir(target);
  const turn = makeYieldToEventLoop();
  for (const folder of folders.slice(1)) {
    await turn();
    mkdirSync(join(target, folder));
  }
  await mapConcurrently(files, 8, async (file) => {
    await turn();
    await linkOrCopy(join(source, file), join(target, file));
  });
}

/**
 * Makes a folder with hard links to the files of a release or artifact, or with copies where links are
 * impossible. Throws if it has something else than files and folders.
 */
export async function linkFolder(source: string, target: string): Promise<void> {
  await linkAll(source, target, await listFolder(source));
}

/** Links the tags of pages' sources; pages work without them. */
export async function linkTags(source: string, target: string): Promise<void> {
  await linkOrCopy(tagFileOf(source), tagFileOf(target)).catch(() => {});
}

async function fill(paths: InstancePaths, source: ReleaseSource, target: string): Promise<void> {
  const wanted = await listArtifact(source.dir);
  const reused = await reuseSpare(paths, { source: source.dir, target, wanted });
  if (reused === null) await linkAll(source.dir, target, wanted);
  await linkOrCopy(`${source.dir}.json`, `${target}.json`);
  await linkTags(source.dir, target);
  const { files, folders } = reused ?? wanted;
  const own = files.filter((file) => !isMedia(file)).map((file) => join(target, file));
  if ((await makeDurable(own)) === "everything") return;
  await fsyncFile(`${target}.json`);
  await mapConcurrently(folders, 8, (folder) => fsyncFolder(join(target, folder)));
}

/**
 * Assembles release `n` of hard links to the artifact's files next to its place, and syncs it to
 * disk. The links, not the artifact, are compared with the manifest, because they go live. Throws
 * `conflict` with missing or damaged files; then nothing is left, and the artifact is invalidated,
 * so that the next build makes it again.
 */
export async function stageRelease(
  paths: InstancePaths,
  source: ReleaseSource,
  release: number,
): Promise<void> {
  const target = stagedPath(paths, release);
  await discardStaged(paths, release);
  try {
    const manifest = await sourceManifest(source);
    await mkdir(dirname(target), { recursive: true });
    await fill(paths, source, target);
    await assertIntact(target, manifest, source);
    await fsyncFolder(paths.releases);
  } catch (error) {
    await discardStaged(paths, release);
    if (error instanceof DamagedArtifact) {
      await removeArtifacts(dirname(source.dir), [{ sha: basename(source.dir) }]);
    }
    throw error;
  }
}

/** Removes what staging release `n` has left. */
export async function discardStaged(paths: InstancePaths, release: number): Promise<void> {
  await removeTree(stagedPath(paths, release));
  await removeTree(`${stagedPath(paths, release)}.json`);
  await removeTree(tagFileOf(stagedPath(paths, release)));
}
