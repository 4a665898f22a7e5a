import type { Repository } from "./git.ts";

/** So many loose objects and packs are no problem yet. */
const maxLooseObjects = 2000;
const maxPacks = 20;
/** Packing a large repository takes its time, in ms. */
const timeoutMs = 30 * 60_000;

/** How the repository stores its objects. */
async function countObjects({ git }: Repository): Promise<{ loose: number; packs: number }> {
  const { stdout } = await git(["count-objects", "-v"]);
  const numberOf = (name: string) =>
    Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(stdout)?.[1] ?? 0);
  return { loose: numberOf("count"), packs: numberOf("packs") };
}

/** Why the repository should be packed; null if it needn't be. Reading history gets slow then. */
export async function packingReason(repository: Repository): Promise<string | null> {
  const { loose, packs } = await countObjects(repository);
  if (loose <= maxLooseObjects && packs <= maxPacks) return null;
  return `The content repository has ${loose} loose objects and ${packs} packs.`;
}

/**
 * Packs what commits contain. Nothing is deleted that isn't packed: objects of running edits aren't in
 * any commit yet. Safe while other processes use the repository.
 */
export async function packRepository({ git }: Repository): Promise<void> {
  await git(["repack", "-A", "-d", "-l", "-q"], { timeoutMs });
  await git(["prune-packed", "-q"], { timeoutMs });
}
