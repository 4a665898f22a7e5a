import type { Config } from "../../platform/config.ts";
import { openAdvisoryLock } from "../../platform/db/advisory-lock.ts";
import type { Db } from "../../platform/db/connect.ts";
import { notifyNodes } from "../../platform/db/notifications.ts";
import type { ProcessLock } from "../../platform/lock.ts";
import { type ObjectStore, openObjectStore } from "../../platform/storage/object-store.ts";
import type { SharedPreviews } from "../release/record-preview.ts";
import type { SharedReleases } from "../release/finalize.ts";
import { type Blobs, makeBlobs } from "./blobs.ts";
import { type FollowedReleases, makeFollowedReleases } from "./followed-releases.ts";
import { makePacks } from "./packs.ts";
import { makeSharedArtifacts, type SharedArtifacts } from "./shared-artifacts.ts";
import { makeSharedContent, type SharedContent } from "./shared-content.ts";
import { makeSharedFiles, type SharedFiles } from "./shared-files.ts";
import { makeSharedPresence, type SharedPresence } from "./shared-presence.ts";
import { makeSharedPreviews } from "./shared-previews.ts";
import { makeSharedReleases } from "./shared-releases.ts";
import { hasEnded } from "./store.ts";

/** What the nodes of an instance share: an object store and PostgreSQL instead of a disk. */
export interface SharedStorage {
  objects: Omit<ObjectStore, "close">;
  blobs: Blobs;
  files: SharedFiles;
  content: SharedContent;
  artifacts: SharedArtifacts;
  releases: SharedReleases;
  followed: FollowedReleases;
  previews: SharedPreviews;
  presence: SharedPresence;
  /** A lock between all nodes, which includes that of this machine's processes. */
  lock(name: string, local: ProcessLock): ProcessLock;
  /** Whether the instance has left the object store, and this process has to be restarted without it. */
  hasEnded(): Promise<boolean>;
  close(): Promise<void>;
}

/** What the other nodes are told after a release, and when files have changed. */
export const changeMessage = "change";

/** Opens what the nodes of this instance share; null if it is on one disk. */
export function openSharedStorage(
  { storage, paths, limits }: Pick<Config, "storage" | "paths" | "limits">,
  db: Db,
): SharedStorage | null {
  if (storage === null) return null;
  const objects = openObjectStore(storage);
  const blobs = makeBlobs({ db, objects });
  const notify = (transaction = db) => notifyNodes(transaction, changeMessage);
  const files = makeSharedFiles({ db, blobs, dir: paths.dir, notify });
  const artifacts = makeSharedArtifacts({ db, blobs, artifactsDir: paths.artifacts });
  const followed = makeFollowedReleases({ db, dir: paths.dir });
  const keepReleases = limits.keep.releases;
  return {
    objects,
    blobs,
    files,
    content: makeSharedContent({ db, packs: makePacks({ db, blobs }), files }),
    artifacts,
    previews: makeSharedPreviews(db),
    presence: makeSharedPresence(db),
    releases: makeSharedReleases({ db, artifacts, followed, paths, keepReleases, notify }),
    followed,
    lock: (name, local) => openAdvisoryLock(db, name, local),
    hasEnded: () => hasEnded(db),
    close: () => objects.close(),
  };
}
