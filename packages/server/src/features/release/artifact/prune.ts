import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { undefinedIfMissing, removeTree } from "../../../platform/files.ts";
import { tagFileOf } from "../source-tags/tag-file.ts";
import { sweepStore } from "./content-store.ts";
import { removeArtifacts, removeIncomplete } from "./stored-artifacts.ts";

const abandonedAfterMs = 60 * 60 * 1000;

/** What somebody is making, an artifact or a file (writeFileAtomic), or has left when it died. */
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

/** Tag files whose artifact is gone. */
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
 * Removes artifacts but the `keep` last used and those in `inUse` (their SHAs), and every stored content
 * that then belongs to no artifact and no release. Returns the SHAs removed.
 */
export async function pruneArtifacts(
  artifactsDir: string,
  options: { keep: number; inUse: ReadonlySet<string>; nowMs: number },
): Promise<string[]> {
  await mkdir(artifactsDir, { recursive: true });
  const names = await readdir(artifactsDir);
  const shas = names.filter((name) => /^[0-9a-f]{64}\.json$/.test(name)).map((n) => n.slice(0, 64));
  const dated = await mapConcurrently(shas, 8, async (sha) => {
    // Another process may be at the same: one that is gone by now is none of the last used.
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
