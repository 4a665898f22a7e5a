import { basename } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import { listReferenceIds } from "../media/reference/store.ts";
import { listAllMedia } from "../media/every-store.ts";
import { filesOf } from "../media/store.ts";
import { sharedFolders } from "./shared-content.ts";
import type { SharedStorage } from "./shared-storage.ts";
import { deleteOldReleases, isShared, listReleases } from "./store.ts";

export interface StorageCleanupDependencies {
  db: Db;
  clock: Clock;
  shared: SharedStorage;
  keepReleases: number;
  /** The artifacts that somebody may want to see or publish, besides those of releases. */
  listArtifacts(): Promise<readonly string[]>;
  /** The runs that can still be published. */
  listRuns(): Promise<readonly string[]>;
}

/** Which paths of the shared folders the records name. */
async function namedPaths(db: Db): Promise<(path: string) => boolean> {
  const [mediaPath = "", originalsPath = "", referencesPath = ""] = sharedFolders;
  const publicFolder = mediaPath.slice(0, -"/media/".length);
  const media = await listAllMedia(db);
  const files = new Set(media.flatMap((one) => filesOf(one)).map((src) => publicFolder + src));
  const cropped = new Set(media.filter(({ uncropped }) => uncropped).map(({ id }) => String(id)));
  const references = new Set(await listReferenceIds(db));
  return (path) => {
    if (path.startsWith(referencesPath)) return references.has(basename(path).split(".")[0] ?? "");
    if (!path.startsWith(originalsPath)) return files.has(path);
    return cropped.has(path.slice(originalsPath.length).split("/")[0] ?? "");
  };
}

/**
 * Removes from the object store what no record, run, or release needs any more and what killed processes
 * have left; everything stays at least a day. Returns how many objects it has removed. The caller sees to
 * it that only one node does this.
 */
export async function cleanUpStorage(deps: StorageCleanupDependencies): Promise<number> {
  const { db, clock, shared, keepReleases } = deps;
  if (!(await isShared(db))) return 0;
  const now = clock.now();
  await deleteOldReleases(db, keepReleases);
  const releases = await listReleases(db, keepReleases);
  const artifacts = [...releases.map(({ artifact }) => artifact), ...(await deps.listArtifacts())];
  await shared.artifacts.prune(new Set(artifacts), now);
  await shared.content.pruneRuns(new Set(await deps.listRuns()));
  const isNamed = await namedPaths(db);
  for (const folder of sharedFolders) await shared.files.prune(folder, isNamed, now);
  const contents = await shared.artifacts.contents();
  return shared.blobs.removeUnused((name) => contents.has(name));
}
