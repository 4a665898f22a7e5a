import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { undefinedIfMissing, removeTree } from "../../../platform/files.ts";
import { tagFileOf } from "../source-tags/tag-file.ts";
import { sweepStore } from "./content-store.ts";
import { removeArtifacts, removeIncomplete } from "./stored-artifacts.ts";

const abandonedAfterMs = 60 * 60 * 1000;

/** An artifact or a file (writeFileAtomic) that is being made, or was left by a dead process. */
const unfinished = /^\.new-|\.[0-9a-f]{12}\.tmp$/;

async function removeAbandoned(
  artifactsDir: string,
  names: string[],
  nowMs: number,
): Promise<void> {
  for (const name of names.filter((candidate) => unfinished.test(candidate))) {
    const info = await stat(join(artifactsDir, name)).catch(() => undefined);
    if (info && nowMs - info.mtimeMs > abandonedAfterMs) await removeTree(join(artifactsDir, name));
  }
}

/** Removes tag files whose artifact is gone. */
async function removeOrphans(artifactsDir: string): Promise<void> {
  const names = new Set(await readdir(artifactsDir));
  for (const name of names) {
    const dir = name.slice(0, 64);
    if (!/^[0-9a-f]{64}$/.test(dir) || name !== tagFileOf(dir) || names.has(`${dir}.json`))
      continue;
    await removeTree(join(artifactsDir, name));
  }
}

/**
 * Removes all artifacts except the `keep` most recently used and those in `inUse` (their SHAs), and
 * stored contents that then belong to no artifact or release. Returns the SHAs removed.
 */
export async function pruneArtifacts(
  artifactsDir: string,
  options: { keep: number; inUse: ReadonlySet<string>; nowMs: number },
): Promise<string[]> {
  await mkdir(artifactsDir, { recursive: true });
  const names = await readdir(artifactsDir);
  const shas = names.filter((name) => /^[0-9a-f]{64}\.json$/.test(name)).map((n) => n.slice(0, 64));
  const dated = await mapConcurrently(shas, 8, async (sha) => {
    // Another process may do the same: an artifact that has disappeared isn't recently used.
    const info = await undefinedIfMissing(stat(join(artifactsDir, `${sha}.json`)));
    return { sha, usedAt: info?.mtimeMs ?? 0 };
  });
  const newestFirst = dated.toSorted((a, b) => b.usedAt - a.usedAt);
  const surplus = newestFirst.slice(options.keep).filter(({ sha }) => !options.inUse.has(sha));
  const removed = await removeArtifacts(artifactsDir, surplus);
  await removeIncomplete(artifactsDir);
  await removeOrphans(artifactsDir);
  await removeAbandoned(artifactsDir, names, options.nowMs);
  await sweepStore(join(artifactsDir, ".store"));
  return removed;
}
