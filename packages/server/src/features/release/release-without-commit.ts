import { liveRelease, releaseArtifact } from "./current-symlink.ts";
import type { FinalizeDependencies } from "./finalize.ts";
import type { PrivateGate } from "./private/private-gate.ts";
import type { ReleaseSource } from "./stage-release.ts";
import { highestRelease } from "./store.ts";

/** The highest release number that any node knows of. */
export async function highestNumber({
  db,
  shared,
}: Pick<FinalizeDependencies, "db" | "shared">): Promise<number> {
  return Math.max(await highestRelease(db), (await shared?.highest()) ?? 0);
}

/** Makes a release of an artifact, unless it is live. The caller holds the publish lock. */
export async function releaseWithoutCommit(
  deps: Pick<FinalizeDependencies, "db" | "paths" | "shared" | "keepReleases"> & {
    gate?: Pick<PrivateGate, "assertPublic">;
  },
  artifact: ReleaseSource,
): Promise<{ release: number }> {
  const { paths, shared, gate, keepReleases: keep } = deps;
  const { sha } = artifact;
  const live = await liveRelease(paths);
  if (live?.sha === sha) return { release: live.release };
  await gate?.assertPublic(artifact.dir);
  const atLeast = await highestNumber(deps);
  await shared?.storeArtifact(sha);
  const announce = shared && ((release: number) => shared.announce({ release, artifact: sha }));
  return { release: await releaseArtifact(paths, artifact, { atLeast, keep, announce }) };
}
