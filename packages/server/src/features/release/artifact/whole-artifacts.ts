import { randomBytes } from "node:crypto";
import { readdir, rename, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import {
  exists,
  fsyncFolder,
  ifThere,
  removeTree,
  writeFileAtomic,
} from "../../../platform/files.ts";
import { openLock } from "../../../platform/lock.ts";
import { type Manifest, readManifest } from "./artifact.ts";

// An artifact is there as a whole or not at all: its folder comes and goes by one rename, and with
// its manifest under a lock, so that nobody takes half of one that goes for the one that he makes.

/** Far longer than anybody holds it. */
const patienceMs = 60_000;

/** Does what takes but a moment, while no artifact comes or goes. */
async function alone<T>(artifactsDir: string, task: () => Promise<T>): Promise<T> {
  const lock = openLock(join(artifactsDir, ".lock"));
  try {
    return await lock.hold(task, { waitMs: patienceMs });
  } finally {
    lock.close();
  }
}

/** Whether the artifact at `dir` is there with its manifest; somebody may have removed it by hand. */
export async function isStored(dir: string): Promise<boolean> {
  return (await exists(`${dir}.json`)) && (await exists(dir));
}

/** Whether it is there; it then counts as used just now. */
async function touch(dir: string): Promise<boolean> {
  if (!(await isStored(dir))) return false;
  const now = new Date();
  await utimes(`${dir}.json`, now, now);
  return true;
}

/** The manifest of an artifact that is there; it then counts as used just now. */
export function useStored(artifactsDir: string, sha: string): Promise<Manifest | undefined> {
  const dir = join(artifactsDir, sha);
  return alone(artifactsDir, async () => {
    return (await touch(dir)) ? readManifest(`${dir}.json`) : undefined;
  });
}

const gonePattern = /^\.gone-/;

async function setAside(artifactsDir: string, name: string): Promise<void> {
  const gone = `.gone-${process.pid}-${randomBytes(6).toString("hex")}`;
  await ifThere(rename(join(artifactsDir, name), join(artifactsDir, gone)));
}

/** Removes what was set aside, also by those who died before they could. */
async function removeGone(artifactsDir: string): Promise<void> {
  // Else a power loss could leave a folder in its place that lacks files already.
  await fsyncFolder(artifactsDir);
  for (const name of await readdir(artifactsDir)) {
    if (gonePattern.test(name)) await removeTree(join(artifactsDir, name));
  }
}

/**
 * Moves a finished folder into place, with its manifest. The same artifact, made at the same time, is
 * as good, and stays; a folder without a manifest is what a kill has left, and goes.
 */
export async function placeArtifact(
  artifactsDir: string,
  { folder, manifest }: { folder: string; manifest: Manifest },
): Promise<void> {
  const dir = join(artifactsDir, manifest.sha);
  await alone(artifactsDir, async () => {
    if (await touch(dir)) return;
    await setAside(artifactsDir, manifest.sha);
    await rename(folder, dir);
    await fsyncFolder(artifactsDir);
    await writeFileAtomic(`${dir}.json`, JSON.stringify(manifest));
  });
  await removeTree(folder);
}

/** One to be removed; with `usedAt` (ms) only if it was not used since. */
export interface Surplus {
  sha: string;
  usedAt?: number;
}

/** Removes artifacts and, once each is out of its place, their files. Returns the SHAs removed. */
export async function removeArtifacts(
  artifactsDir: string,
  surplus: readonly Surplus[],
): Promise<string[]> {
  const removed: string[] = [];
  for (const { sha, usedAt } of surplus) {
    const file = join(artifactsDir, `${sha}.json`);
    await alone(artifactsDir, async () => {
      const info = await ifThere(stat(file));
      if (usedAt !== undefined && info !== undefined && info.mtimeMs !== usedAt) return;
      // Without its manifest an artifact is none.
      await removeTree(file);
      await setAside(artifactsDir, sha);
      removed.push(sha);
    });
  }
  await removeGone(artifactsDir);
  return removed;
}

/** Removes folders without a manifest: nobody is making them, that is done under another name. */
export async function removeHalves(artifactsDir: string): Promise<void> {
  const names = new Set(await readdir(artifactsDir));
  const bare = [...names].filter(
    (name) => /^[0-9a-f]{64}$/.test(name) && !names.has(`${name}.json`),
  );
  for (const sha of bare) {
    await alone(artifactsDir, async () => {
      if (!(await isStored(join(artifactsDir, sha)))) await setAside(artifactsDir, sha);
    });
  }
  await removeGone(artifactsDir);
}
