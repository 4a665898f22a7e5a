import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { removeTree, writeFileAtomic } from "../../../platform/files.ts";

// Only a process itself knows which artifacts it shows. It writes them to a file next to the
// artifacts, so that the instance's other processes keep them.

/** An artifact that somebody shows, until a time in ms. */
export interface ArtifactReference {
  sha: string;
  until: number;
}

const pattern = /^\.shown-([0-9A-Za-z]+)\.json$/;

function fileOf(artifactsDir: string, owner: string): string {
  return join(artifactsDir, `.shown-${owner}.json`);
}

async function listOwners(artifactsDir: string): Promise<string[]> {
  const names = await readdir(artifactsDir).catch(() => []);
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []);
}

/** Stores all artifacts that `owner` (letters and digits) shows now; nothing removes its file. */
export async function writeReferences(
  artifactsDir: string,
  owner: string,
  references: readonly ArtifactReference[],
): Promise<void> {
  const file = fileOf(artifactsDir, owner);
  if (references.length === 0) await removeTree(file);
  else await writeFileAtomic(file, JSON.stringify(references));
}

async function readOne(file: string): Promise<ArtifactReference[]> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as ArtifactReference[];
  } catch (error) {
    // Its owner has just ended.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The SHAs of all artifacts that any process of the instance shows. */
export async function readReferencedArtifacts(
  artifactsDir: string,
  nowMs: number,
): Promise<Set<string>> {
  const files = (await listOwners(artifactsDir)).map((owner) => fileOf(artifactsDir, owner));
  const references = (await Promise.all(files.map(readOne))).flat();
  return new Set(references.filter(({ until }) => until > nowMs).map(({ sha }) => sha));
}

/** Removes the files of owners that are gone. */
export async function removeReferencesOf(
  artifactsDir: string,
  isGone: (owner: string) => Promise<boolean>,
): Promise<void> {
  for (const owner of await listOwners(artifactsDir)) {
    if (await isGone(owner)) await removeTree(fileOf(artifactsDir, owner));
  }
}
