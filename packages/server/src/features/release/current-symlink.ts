import { mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { exists, fsyncFolder, removeTree } from "../../platform/files.ts";
import { openLock, type ProcessLock } from "../../platform/lock.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { readManifest } from "./artifact/artifact.ts";
import { tagFileOf } from "./source-tags/tag-file.ts";
import { setAside, spareName } from "./spare-release.ts";
import { type ReleaseSource, stagedPath, stageRelease } from "./stage-release.ts";

/** Held during a publish: one at a time across all processes. */
export function openPublishLock(paths: Pick<InstancePaths, "data">): ProcessLock {
  return openLock(join(paths.data, "publish.lock"));
}

/** The number of the release that `current` points to; null if there is none. */
export async function currentRelease(paths: InstancePaths): Promise<number | null> {
  const target = await readlink(paths.current).catch(() => null);
  const number = target === null ? Number.NaN : Number(basename(target));
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** The live release with its artifact's SHA; null if there is none. */
export async function liveRelease(
  paths: InstancePaths,
): Promise<{ release: number; sha: string } | null> {
  const release = await currentRelease(paths);
  if (release === null) return null;
  const manifest = await readManifest(`${releasePath(paths, release)}.json`).catch(() => null);
  return manifest && { release, sha: manifest.sha };
}

/** The folder of a release; its manifest is `<folder>.json` next to it. */
export function releasePath(paths: InstancePaths, release: number): string {
  return join(paths.releases, String(release));
}

async function numbersIn(
  paths: InstancePaths,
): Promise<{ folders: number[]; manifests: number[] }> {
  const names = await readdir(paths.releases).catch(() => []);
  return {
    folders: names.filter((name) => /^\d+$/.test(name)).map(Number),
    manifests: names
      .filter((name) => /^\d+\.json$/.test(name))
      .map((name) => Number.parseInt(name)),
  };
}

/** The complete releases, oldest first. */
export async function listReleases(paths: InstancePaths): Promise<number[]> {
  const { folders, manifests } = await numbersIn(paths);
  return folders.filter((number) => manifests.includes(number)).toSorted((a, b) => a - b);
}

/** An unused release number. `atLeast` is the highest number known from elsewhere. */
export async function nextRelease(paths: InstancePaths, atLeast = 0): Promise<number> {
  const { folders, manifests } = await numbersIn(paths);
  const current = (await currentRelease(paths)) ?? 0;
  return Math.max(atLeast, current, ...folders, ...manifests) + 1;
}

async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/**
 * Points `current` to a release. Readers see the previous one or this one, even after a power
 * failure.
 */
export async function setCurrentRelease(paths: InstancePaths, release: number): Promise<void> {
  const link = join(paths.data, `.current-${release}`);
  await rm(link, { force: true });
  await symlink(`releases/${release}`, link);
  await rename(link, paths.current);
  await fsyncFolder(paths.data);
}

async function placeStaged(paths: InstancePaths, release: number): Promise<void> {
  const target = releasePath(paths, release);
  const staged = stagedPath(paths, release);
  await moveIfThere(staged, target);
  await moveIfThere(tagFileOf(staged), tagFileOf(target));
  await moveIfThere(`${staged}.json`, `${target}.json`);
  if (!(await exists(target)) || !(await exists(`${target}.json`))) {
    throw new AppError("internal", `Release ${release} doesn't exist.`);
  }
  await fsyncFolder(paths.releases);
}

/**
 * Makes a staged release current; idempotent. A release older than the current one isn't activated.
 */
export async function activateRelease(paths: InstancePaths, release: number): Promise<void> {
  await placeStaged(paths, release);
  if (((await currentRelease(paths)) ?? 0) < release) await setCurrentRelease(paths, release);
}

/** Makes a staged release current in place of those here with its number or higher ones. */
export async function replaceRelease(paths: InstancePaths, release: number): Promise<void> {
  const { folders, manifests } = await numbersIn(paths);
  const later = new Set([...folders, ...manifests].filter((number) => number >= release));
  for (const number of later) await removeRelease(paths, number);
  await placeStaged(paths, release);
  await setCurrentRelease(paths, release);
}

/** Whether a release is staged or in place. */
export async function hasRelease(paths: InstancePaths, release: number): Promise<boolean> {
  const anywhere = async (suffix: string) =>
    (await exists(releasePath(paths, release) + suffix)) ||
    (await exists(stagedPath(paths, release) + suffix));
  return (await anywhere("")) && (await anywhere(".json"));
}

/** Removes the manifest, without which a release doesn't exist. */
async function invalidateRelease(paths: InstancePaths, release: number): Promise<void> {
  await removeTree(tagFileOf(releasePath(paths, release)));
  await removeTree(`${releasePath(paths, release)}.json`);
}

async function removeRelease(paths: InstancePaths, release: number): Promise<void> {
  await invalidateRelease(paths, release);
  await removeTree(releasePath(paths, release));
}

/** Removes all releases except the `keep` newest and the current one. One is set aside for the next. */
export async function pruneReleases(paths: InstancePaths, keep: number): Promise<void> {
  const current = await currentRelease(paths);
  const old = (await listReleases(paths)).toReversed().slice(Math.max(1, keep));
  for (const release of old.filter((one) => one !== current)) {
    await invalidateRelease(paths, release);
    await setAside(paths, releasePath(paths, release));
  }
}

/**
 * Makes a release of an artifact without a run and activates it. The caller holds the publish lock.
 * Returns its number. Throws `conflict` if the artifact is damaged, `disk_full`.
 */
export async function releaseArtifact(
  paths: InstancePaths,
  source: ReleaseSource,
  options: {
    atLeast?: number;
    keep: number;
    /** Called before it is activated; throws to refuse it. */
    announce?: ((release: number) => Promise<void>) | null | undefined;
  },
): Promise<number> {
  await mkdir(paths.releases, { recursive: true });
  const release = await nextRelease(paths, options.atLeast);
  await stageRelease(paths, source, release);
  await options.announce?.(release);
  await activateRelease(paths, release);
  await pruneReleases(paths, options.keep);
  return release;
}

/** The first release, at installation: does nothing if there is one. Returns its number. */
export async function initialRelease(paths: InstancePaths, source: ReleaseSource): Promise<number> {
  const lock = openPublishLock(paths);
  try {
    return await lock.run(async () => {
      await tidyReleases(paths);
      const current = await currentRelease(paths);
      return current ?? (await releaseArtifact(paths, source, { keep: 10 }));
    });
  } finally {
    lock.close();
  }
}

/**
 * Removes what a dead publish left next to the releases, and incomplete releases; then points a
 * dangling `current` to the newest complete release. The caller holds the publish lock and has
 * finalized every publish: releases newer than `current` were never shown.
 */
export async function tidyReleases(paths: InstancePaths): Promise<void> {
  for (const name of await readdir(paths.releases).catch(() => [])) {
    const isStaged = name.startsWith(".staging-") && name !== spareName;
    if (isStaged) await removeTree(join(paths.releases, name));
  }
  for (const name of await readdir(paths.data).catch(() => [])) {
    if (/^\.current-\d+$/.test(name)) await removeTree(join(paths.data, name));
  }
  const whole = await listReleases(paths);
  const current = await currentRelease(paths);
  const { folders, manifests } = await numbersIn(paths);
  const keepable = (release: number) =>
    whole.includes(release) && (current === null || !whole.includes(current) || release <= current);
  for (const release of new Set([...folders, ...manifests])) {
    if (!keepable(release)) await removeRelease(paths, release);
  }
  const newest = whole.at(-1);
  if (newest === undefined) {
    await rm(paths.current, { force: true });
  } else if (current === null || !whole.includes(current)) {
    await setCurrentRelease(paths, newest);
  }
}
