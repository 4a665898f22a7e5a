import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import {
  activateRelease,
  currentRelease,
  liveRelease,
  pruneReleases,
  replaceRelease,
} from "../release/current-symlink.ts";
import type { SharedReleases } from "../release/finalize.ts";
import { stageRelease } from "../release/stage-release.ts";
import type { FollowedReleases } from "./followed-releases.ts";
import type { SharedArtifacts } from "./shared-artifacts.ts";
import { insertRelease, listReleases } from "./store.ts";

export interface SharedReleasesDependencies {
  db: Db;
  artifacts: SharedArtifacts;
  followed: Pick<FollowedReleases, "wait">;
  paths: InstancePaths;
  keepReleases: number;
  /** Tells the other nodes that there is a new release. */
  notify(): Promise<void>;
}

/** Opens the releases of an instance for one node. */
export function makeSharedReleases(deps: SharedReleasesDependencies): SharedReleases {
  const { db, artifacts, paths, keepReleases } = deps;
  const newest = async () => (await listReleases(db, 1))[0];
  /** What this process has found live last, so that a look without news reads no manifest. */
  let followed: { release: number; sha: string } | null = null;

  return {
    storeArtifact: (sha) => artifacts.put(sha),
    fetchArtifact: (sha) => artifacts.get(sha),
    highest: async () => (await newest())?.release_number ?? 0,
    async announce({ release, artifact }) {
      await artifacts.put(artifact);
      const stored = await insertRelease(db, { release, artifact });
      if (stored !== artifact) throw new AppError("locked", "Another node has just published.");
      await deps.notify();
    },
    async waitForNodes(release, maxMs) {
      // What was not announced, because it can't be, doesn't get to the other nodes either.
      if (((await newest())?.release_number ?? 0) >= release)
        await deps.followed.wait(release, maxMs);
    },
    async follow() {
      const wanted = await newest();
      if (wanted === undefined) return;
      const { release_number: release, artifact: sha } = wanted;
      const isFollowed = followed?.release === release && followed.sha === sha;
      if (isFollowed && (await currentRelease(paths)) === release) return;
      const live = await liveRelease(paths);
      followed = live;
      if (live?.release === release && live.sha === sha) return;
      await artifacts.get(sha);
      await mkdir(paths.releases, { recursive: true });
      await stageRelease(paths, { sha, dir: join(paths.artifacts, sha) }, release);
      if ((live?.release ?? 0) >= release) await replaceRelease(paths, release);
      else await activateRelease(paths, release);
      await pruneReleases(paths, keepReleases);
    },
  };
}
