import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { sha256Hex } from "../kit/hash.ts";
import { parseJson } from "../kit/json.ts";
import { siteIdPattern } from "../kit/site-id.ts";
import { newUlid } from "../kit/ulid.ts";
import {
  exists,
  fsyncFolder,
  removeTree,
  undefinedIfMissing,
  writeFileAtomic,
} from "../platform/files.ts";
import { type InstancePaths, instancePaths } from "../platform/paths.ts";
import { keyFiles, readKeyFiles, writeKeyFiles } from "../platform/secrets.ts";

/** What all nodes have of a site besides its records and its objects. */
export interface CopyContent {
  /** The text of vitrine.json. */
  settings: string;
  /** The texts of the key files, by their names. */
  keys: Record<string, string>;
}

const markSchema = z.object({
  /** That of the site that this folder is a copy of. */
  incarnation: z.string(),
  /** Of the content that was written here last, and its hash. */
  version: z.number().int(),
  hash: z.string(),
});

export type CopyMark = z.infer<typeof markSchema>;

const markFile = ({ data }: InstancePaths) => join(data, "copy.json");

const useFile = ({ data }: InstancePaths) => join(data, "copy-used");

const hashOf = ({ settings, keys }: CopyContent) =>
  sha256Hex(JSON.stringify([settings, Object.entries(keys).toSorted()]));

/** The folder of a further site in `sites`. */
export const copyPaths = (sites: string, id: string) => instancePaths(join(sites, id));

/** What a folder says of the site that it is a copy of; null for one that isn't a copy. */
export async function readMark(paths: InstancePaths): Promise<CopyMark | null> {
  const text = await undefinedIfMissing(readFile(markFile(paths), "utf8"));
  return text === undefined ? null : (markSchema.safeParse(parseJson(text)).data ?? null);
}

export async function readContent(paths: InstancePaths): Promise<CopyContent> {
  return {
    settings: await readFile(paths.configFile, "utf8"),
    keys: await readKeyFiles(paths.keys),
  };
}

/** What there is of a site's content, which may not be whole. */
export async function readAvailable(
  paths: InstancePaths,
): Promise<Pick<CopyContent, "keys"> & { settings: string | undefined; isWhole: boolean }> {
  const settings = await undefinedIfMissing(readFile(paths.configFile, "utf8"));
  const keys: CopyContent["keys"] = {};
  const names = Object.values(keyFiles);
  for (const name of names) {
    const text = await undefinedIfMissing(readFile(join(paths.keys, name), "utf8"));
    if (text !== undefined) keys[name] = text.trim();
  }
  const isWhole = settings !== undefined && Object.keys(keys).length === names.length;
  return { settings, keys, isWhole };
}

/** Whether settings or keys have been changed here since they were written. */
export function isChanged(mark: CopyMark, content: CopyContent): boolean {
  return mark.hash !== hashOf(content);
}

/** Notes that a folder has this content of a site. */
export async function writeMark(
  paths: InstancePaths,
  { incarnation, version }: Omit<CopyMark, "hash">,
  content: CopyContent,
): Promise<void> {
  const mark: CopyMark = { incarnation, version, hash: hashOf(content) };
  await mkdir(paths.data, { recursive: true });
  await writeFileAtomic(markFile(paths), `${JSON.stringify(mark)}\n`);
}

/** Makes a copy the only folder of its site. */
export async function removeMark(paths: InstancePaths): Promise<void> {
  for (const file of [useFile(paths), markFile(paths)]) await removeTree(file);
  await fsyncFolder(paths.data);
}

export async function writeContent(
  paths: InstancePaths,
  { settings, keys }: CopyContent,
): Promise<void> {
  await mkdir(paths.data, { recursive: true });
  await writeKeyFiles(paths.keys, keys);
  await writeFileAtomic(paths.configFile, settings);
}

/** Notes that somebody has needed a copy now. */
export async function noteUse(paths: InstancePaths): Promise<void> {
  await undefinedIfMissing(writeFile(useFile(paths), ""));
}

/** When somebody last needed a copy here, in ms; null if that isn't known. */
export async function readLastUse(paths: InstancePaths): Promise<number | null> {
  return (await undefinedIfMissing(stat(useFile(paths))))?.mtimeMs ?? null;
}

const removedPrefix = ".removed-";

/** Moves the folder of a site away, if there is one: nothing finds it from then on. */
export async function moveAway(sites: string, id: string): Promise<void> {
  const folder = join(sites, id);
  if (!(await exists(folder))) return;
  await rename(folder, join(sites, `${removedPrefix}${id}-${newUlid(Date.now())}`));
}

/** Deletes what this removal of a site, and interrupted ones before it, have moved away. */
export async function deleteMovedAway(sites: string, id: string): Promise<void> {
  const pattern = new RegExp(`^\\${removedPrefix}${id}-[0-9A-Z]{26}$`);
  for (const name of await readdir(sites)) {
    if (pattern.test(name)) await removeTree(join(sites, name));
  }
}

/** Removes the folder of a site. */
export async function removeCopy(sites: string, id: string): Promise<void> {
  await moveAway(sites, id);
  await deleteMovedAway(sites, id);
}

/**
 * The sites with folders here: copies, and those that say nothing of nodes. Removes what killed removals
 * have left.
 */
export async function listFolders(sites: string): Promise<{ copies: string[]; others: string[] }> {
  const names = (await undefinedIfMissing(readdir(sites))) ?? [];
  const found = { copies: [] as string[], others: [] as string[] };
  for (const name of names) {
    if (name.startsWith(removedPrefix)) await removeTree(join(sites, name));
    if (!siteIdPattern.test(name)) continue;
    const mark = await readMark(copyPaths(sites, name));
    (mark === null ? found.others : found.copies).push(name);
  }
  return found;
}
