import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { removeTree, writeFileAtomic } from "../../../platform/files.ts";

// What a process shows by itself only it knows. It says so in a file beside the artifacts, by which
// every other process of the instance leaves them where they are.

/** An artifact that somebody shows, until a time in ms. */
export interface ShownArtifact {
  sha: string;
  until: number;
}

const pattern = /^\.shown-([0-9A-Za-z]+)\.json$/;

function fileOf(artifactsDir: string, holder: string): string {
  return join(artifactsDir, `.shown-${holder}.json`);
}

async function holders(artifactsDir: string): Promise<string[]> {
  const names = await readdir(artifactsDir).catch(() => []);
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []);
}

/** Writes down all that `holder`, letters and digits, shows now; nothing removes its file. */
export async function writeShown(
  artifactsDir: string,
  holder: string,
  shown: readonly ShownArtifact[],
): Promise<void> {
  const file = fileOf(artifactsDir, holder);
  if (shown.length === 0) await removeTree(file);
  else await writeFileAtomic(file, JSON.stringify(shown));
}

async function readOne(file: string): Promise<ShownArtifact[]> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as ShownArtifact[];
  } catch (error) {
    // Its holder has just ended.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The SHAs of all artifacts that any process of the instance shows. */
export async function readShown(artifactsDir: string, nowMs: number): Promise<Set<string>> {
  const files = (await holders(artifactsDir)).map((holder) => fileOf(artifactsDir, holder));
  const shown = (await Promise.all(files.map(readOne))).flat();
  return new Set(shown.filter(({ until }) => until > nowMs).map(({ sha }) => sha));
}

/** Removes what holders left that are gone. */
export async function removeShownOf(
  artifactsDir: string,
  isGone: (holder: string) => Promise<boolean>,
): Promise<void> {
  for (const holder of await holders(artifactsDir)) {
    if (await isGone(holder)) await removeTree(fileOf(artifactsDir, holder));
  }
}
