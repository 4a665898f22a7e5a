import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { newUlid } from "../../kit/ulid.ts";
import { programVersion } from "../../platform/version.ts";
import type { Db } from "../../platform/db/connect.ts";
import { exists, removeTree } from "../../platform/files.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { readManifest } from "../release/artifact/artifact.ts";
import { isStored, placeArtifact } from "../release/artifact/stored-artifacts.ts";
import { liveRelease, releasePath } from "../release/current-symlink.ts";
import { linkFolder, linkTags } from "../release/stage-release.ts";
import type { Repository } from "../workspace/git.ts";
import { sharedFolders } from "./shared-content.ts";
import type { SharedStorage } from "./shared-storage.ts";
import { clearEnd, isShared, setShared } from "./store.ts";

export interface FirstNodeDependencies {
  db: Db;
  shared: SharedStorage;
  repository: Repository;
  paths: InstancePaths;
  clock: Clock;
  log: Log;
  /** The artifacts that somebody may still want to see or publish. */
  listArtifacts(): Promise<readonly string[]>;
}

/** What an instance has, as counts. */
export interface StoredCounts {
  files: number;
  artifacts: number;
  release: number | null;
}

/** Makes the live release's artifact again, which an instance that was restored from a backup lacks. */
async function restoreLiveArtifact(paths: InstancePaths): Promise<void> {
  const live = await liveRelease(paths);
  if (live === null || (await isStored(join(paths.artifacts, live.sha)))) return;
  const release = releasePath(paths, live.release);
  const manifest = await readManifest(`${release}.json`);
  const folder = join(paths.artifacts, `.new-${process.pid}-${newUlid(Date.now())}`);
  try {
    await mkdir(paths.artifacts, { recursive: true });
    await linkFolder(release, folder);
    await linkTags(release, join(paths.artifacts, live.sha));
    await placeArtifact(paths.artifacts, { folder, manifest });
  } finally {
    await removeTree(folder);
  }
}

/**
 * Stores everything that this node has and others need: files, history, builds, and the live release.
 * What is stored already is only looked at, so it can be repeated, also after a kill, and while the
 * instance is in use.
 */
export async function storeEverything(deps: FirstNodeDependencies): Promise<StoredCounts> {
  const { shared, repository, paths, clock, listArtifacts } = deps;
  let files = 0;
  for (const folder of sharedFolders) files += await shared.files.putFolder(folder, clock.now());
  const { configFile: path } = paths;
  if (await exists(path)) await shared.files.put([{ path, from: path }]);
  await shared.content.sync(repository);
  await restoreLiveArtifact(paths);
  const live = await liveRelease(paths);
  const wanted = new Set([...(await listArtifacts()), ...(live ? [live.sha] : [])]);
  let artifacts = 0;
  for (const sha of wanted) {
    // A preview that is gone is built again when it is published.
    if (!(await isStored(join(paths.artifacts, sha)))) continue;
    await shared.artifacts.put(sha);
    artifacts += 1;
  }
  return { files, artifacts, release: live?.release ?? null };
}

/**
 * Makes this node the first one of an instance that begins to share its storage: stores what isn't stored
 * yet. Does nothing if the instance is shared already. The caller holds the locks of publishing and
 * rebuilding.
 */
export async function becomeFirstNode(deps: FirstNodeDependencies): Promise<void> {
  const { db, shared, paths, log } = deps;
  if (await isShared(db)) return;
  await clearEnd(db);
  log.info("storing everything that other nodes will need");
  const counts = await storeEverything(deps);
  const live = await liveRelease(paths);
  if (live) await shared.releases.announce({ release: live.release, artifact: live.sha });
  await setShared(db, programVersion());
  log.info(counts, "other nodes can be added now");
}
