import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { removeTree, writeFileAtomic } from "../../../platform/files.ts";

// What a process shows by itself only it knows. It says so in a file beside the artifacts, by which
// every other process of the instance leaves them where they are.

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

/** Writes down all that `owner`, letters and digits, shows now; nothing removes its file. */
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
    // Its holder has just ended.
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

/** Removes what holders left that are gone. */
export async function removeReferencesOf(
  artifactsDir: string,
  isGone: (owner: string) => Promise<boolean>,
): Promise<void> {
  for (const owner of await listOwners(artifactsDir)) {
    if (await isGone(owner)) await removeTree(fileOf(artifactsDir, owner));
  }
}
