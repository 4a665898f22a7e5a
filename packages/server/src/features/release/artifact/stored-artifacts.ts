import { randomBytes } from "node:crypto";
import { readdir, rename, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import {
  exists,
  fsyncFolder,
  undefinedIfMissing,
  removeTree,
  writeFileAtomic,
} from "../../../platform/files.ts";
import { openLock } from "../../../platform/lock.ts";
import { type Manifest, readManifest } from "./artifact.ts";

// An artifact exists completely or not at all: its folder appears and disappears by one rename,
// together with its manifest under a lock, so that nobody reuses an artifact that is being removed.

/** Far longer than anybody holds it. */
const lockTimeoutMs = 60_000;

/** Runs a brief task while no artifact appears or disappears. */
async function withArtifactLock<T>(artifactsDir: string, task: () => Promise<T>): Promise<T> {
  const lock = openLock(join(artifactsDir, ".lock"));
  try {
    return await lock.run(task, { waitMs: lockTimeoutMs });
  } finally {
    lock.close();
  }
}

/** Whether the artifact at `dir` exists with its manifest; it may have been removed manually. */
export async function isStored(dir: string): Promise<boolean> {
  return (await exists(`${dir}.json`)) && (await exists(dir));
}

/** Whether it exists; marks it as recently used. */
async function touch(dir: string): Promise<boolean> {
  if (!(await isStored(dir))) return false;
  const now = new Date();
  await utimes(`${dir}.json`, now, now);
  return true;
}

/** The manifest of an existing artifact; marks it as recently used. */
export function useStored(artifactsDir: string, sha: string): Promise<Manifest | undefined> {
  const dir = join(artifactsDir, sha);
  return withArtifactLock(artifactsDir, async () => {
    return (await touch(dir)) ? readManifest(`${dir}.json`) : undefined;
  });
}

const trashPattern = /^\.gone-/;

async function moveToTrash(artifactsDir: string, name: string): Promise<void> {
  const gone = `.gone-${process.pid}-${randomBytes(6).toString("hex")}`;
  await undefinedIfMissing(rename(join(artifactsDir, name), join(artifactsDir, gone)));
}

/** Removes what was set aside, including by processes that died before they could. */
async function emptyTrash(artifactsDir: string): Promise<void> {
  // Otherwise, a power failure could leave an incomplete folder in place.
  await fsyncFolder(artifactsDir);
  for (const name of await readdir(artifactsDir)) {
    if (trashPattern.test(name)) await removeTree(join(artifactsDir, name));
  }
}

/**
 * Moves a finished folder and its manifest into place. If the same artifact was made concurrently,
 * that one stays; a folder without a manifest was left by a killed process and is removed.
 */
export async function placeArtifact(
  artifactsDir: string,
  { folder, manifest }: { folder: string; manifest: Manifest },
): Promise<void> {
  const dir = join(artifactsDir, manifest.sha);
  await withArtifactLock(artifactsDir, async () => {
    if (await touch(dir)) return;
    await moveToTrash(artifactsDir, manifest.sha);
    await rename(folder, dir);
    await fsyncFolder(artifactsDir);
    await writeFileAtomic(`${dir}.json`, JSON.stringify(manifest));
  });
  await removeTree(folder);
}

/** An artifact to remove; with `usedAt` (ms), only if it wasn't used since. */
export interface SurplusArtifact {
  sha: string;
  usedAt?: number;
}

/**
 * Removes artifacts: first all are moved away, then their files are deleted. Returns the SHAs
 * removed.
 */
export async function removeArtifacts(
  artifactsDir: string,
  surplus: readonly SurplusArtifact[],
): Promise<string[]> {
  const removed: string[] = [];
  for (const { sha, usedAt } of surplus) {
    const file = join(artifactsDir, `${sha}.json`);
    await withArtifactLock(artifactsDir, async () => {
      const info = await undefinedIfMissing(stat(file));
      if (usedAt !== undefined && info !== undefined && info.mtimeMs !== usedAt) return;
      // Without its manifest, an artifact doesn't exist.
      await removeTree(file);
      await moveToTrash(artifactsDir, sha);
      removed.push(sha);
    });
  }
  await emptyTrash(artifactsDir);
  return removed;
}

/** Removes folders without a manifest, which nobody is making, because that uses another name. */
export async function removeIncomplete(artifactsDir: string): Promise<void> {
  const names = new Set(await readdir(artifactsDir));
  const bare = [...names].filter(
    (name) => /^[0-9a-f]{64}$/.test(name) && !names.has(`${name}.json`),
  );
  for (const sha of bare) {
    await withArtifactLock(artifactsDir, async () => {
      if (!(await isStored(join(artifactsDir, sha)))) await moveToTrash(artifactsDir, sha);
    });
  }
  await emptyTrash(artifactsDir);
}
