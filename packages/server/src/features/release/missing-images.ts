import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { type Manifest, readManifest } from "./artifact/artifact.ts";
import { currentRelease, releasePath } from "./current-symlink.ts";
import { requestRebuild } from "./rebuild-requests.ts";
import { lastEnded } from "./rebuild-store.ts";

// Drawing a share image takes as long as rendering many pages, so a build that somebody waits for
// draws only a few. The others are drawn by rebuilds while nothing else is going on.

/** The reason of a rebuild that draws share images; another request changes it, and nobody waits. */
export const missingImagesReason = "missing share images";

export interface MissingImagesDependencies {
  db: Db;
  paths: InstancePaths;
  clock: Clock;
  /** How long a release has to be live before its missing images are drawn, in ms. */
  quietMs: number;
}

function countImages({ files }: Manifest): number {
  return Object.keys(files).filter((path) => path.startsWith("/og/")).length;
}

/**
 * Returns a function that requests a rebuild if the live release lacks share images; to be called
 * repeatedly while nothing is rebuilt. It stops when a rebuild has brought none.
 */
export function makeMissingImages(deps: MissingImagesDependencies): () => Promise<void> {
  const { db, paths, clock, quietMs } = deps;
  let seen: { release: number; at: number; isChecked: boolean } | undefined;
  let imagesBefore = -1;

  /** Whether a release was made by such a rebuild, and has no more images than the one before. */
  async function isStuck(release: number, images: number): Promise<boolean> {
    const last = await lastEnded(db);
    const isOwn = last?.reason === missingImagesReason && last.release_number === release;
    return isOwn && images <= imagesBefore;
  }

  return async () => {
    const release = await currentRelease(paths);
    if (release === null) return;
    if (seen?.release !== release) seen = { release, at: clock.monotonic(), isChecked: false };
    if (seen.isChecked || clock.monotonic() - seen.at < quietMs) return;
    seen.isChecked = true;
    const manifest = await readManifest(`${releasePath(paths, release)}.json`);
    if (!manifest.lacksShareImages) return;
    const images = countImages(manifest);
    if (await isStuck(release, images)) return;
    imagesBefore = images;
    await requestRebuild(db, { reason: missingImagesReason, now: clock.now() });
  };
}
