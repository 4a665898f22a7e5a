import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exists, fsyncFolder, removeTree } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { linkOrCopy } from "./artifact/content-store.ts";
import { makeYieldToEventLoop } from "./artifact/yield-to-event-loop.ts";

// A release has a folder for each page. Making thousands of them takes longer than everything else of a
// publish, and each takes a block of the disk. So the release that would be removed is set aside, and
// the next one is made of it: nearly all of its files are the same.

/** Set aside: no release, so nothing that is in it is ever shown. */
function sparePath({ releases }: Pick<InstancePaths, "releases">): string {
  return join(releases, spareName);
}

/** Its name among the releases; what is being staged begins with `.staging-` as well. */
export const spareName = ".staging-spare";

/** Sets the folder of a removed release aside, or removes it if another one is there. */
export async function setAside(paths: InstancePaths, folder: string): Promise<void> {
  const spare = sparePath(paths);
  if ((await exists(spare)) || !(await exists(folder))) await removeTree(folder);
  else await rename(folder, spare);
}

/** What is below a folder: paths relative to it, folders before what is in them. */
export interface Listing {
  folders: string[];
  files: string[];
}

/** Something that is neither a file nor a folder. */
export class UnusualEntry extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} is neither a file nor a folder.`);
    this.path = path;
  }
}

/** Lists a folder. Throws UnusualEntry. */
export async function listFolder(root: string): Promise<Listing> {
  const listing: Listing = { folders: [""], files: [] };
  const turn = makeYieldToEventLoop();
  // Grows during the iteration.
  for (const folder of listing.folders) {
    await turn();
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) listing.folders.push(path);
      else if (entry.isFile()) listing.files.push(path);
      else throw new UnusualEntry(path);
    }
  }
  return listing;
}

/** What `reuseSpare` has changed: new files, and the folders with new or fewer entries. */
export interface SpareChanges {
  files: string[];
  folders: string[];
}

const parentOf = (path: string) => (path.includes("/") ? dirname(path) : "");

/** Removes what isn't wanted, and adds the folders that are missing. Returns the changed folders. */
async function adjustFolders(target: string, wanted: Listing): Promise<Set<string>> {
  const found = await listFolder(target);
  const turn = makeYieldToEventLoop();
  const changed = new Set<string>();
  const wantedFiles = new Set(wanted.files);
  for (const file of found.files) {
    await turn();
    if (wantedFiles.has(file)) continue;
    rmSync(join(target, file));
    changed.add(parentOf(file));
  }
  const wantedFolders = new Set(wanted.folders);
  for (const folder of found.folders.toReversed().filter((path) => !wantedFolders.has(path))) {
    await turn();
    rmdirSync(join(target, folder));
    changed.delete(folder);
    changed.add(parentOf(folder));
  }
  const foundFolders = new Set(found.folders);
  for (const folder of wanted.folders.filter((path) => !foundFolders.has(path))) {
    await turn();
    mkdirSync(join(target, folder));
    changed.add(folder).add(parentOf(folder));
  }
  return changed;
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [lstatSync(one), lstatSync(other, { throwIfNoEntry: false })];
  return b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

async function adjust(source: string, target: string, wanted: Listing): Promise<SpareChanges> {
  const folders = await adjustFolders(target, wanted);
  const turn = makeYieldToEventLoop();
  const files: string[] = [];
  for (const file of wanted.files) {
    await turn();
    const [from, to] = [join(source, file), join(target, file)];
    if (isSameFile(from, to)) continue;
    rmSync(to, { force: true });
    await linkOrCopy(from, to);
    files.push(file);
    folders.add(parentOf(file));
  }
  return { files, folders: [...folders] };
}

/**
 * Makes `target` of the release that was set aside: afterwards it has links to exactly the files of
 * `source`, which `wanted` lists. What it doesn't report as changed has been synced to disk before.
 * Returns null if there is nothing to reuse; then there is no `target`.
 */
export async function reuseSpare(
  paths: InstancePaths,
  { source, target, wanted }: { source: string; target: string; wanted: Listing },
): Promise<SpareChanges | null> {
  const spare = sparePath(paths);
  if (!(await exists(spare))) return null;
  try {
    await rename(spare, target);
    // Before anything in it changes, it must no longer be a release after a power failure.
    await fsyncFolder(paths.releases);
    return await adjust(source, target, wanted);
  } catch {
    // Making the whole release again reports what is wrong with the artifact, if anything is.
    await removeTree(target);
    return null;
  }
}
