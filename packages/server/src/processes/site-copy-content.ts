import { isInstalled } from "../features/install/lock.ts";
import type { NodeRecords, SiteCopy } from "../features/sites/node-records.ts";
import { AppError } from "../kit/errors.ts";
import type { Config, Environment } from "../platform/config.ts";
import {
  assertKeyFiles,
  encodeKeyring,
  keyFiles,
  type StoredKeyring,
  writeKeyring,
} from "../platform/secrets.ts";
import { siteConfig } from "./launch-site.ts";
import { notReady } from "./shared-site-work.ts";
import {
  copyPaths,
  isChanged,
  readAvailable,
  readContent,
  readMark,
  removeCopy,
  writeContent,
  writeMark,
} from "./site-copy-files.ts";
import { type KeySeal, mergeKeys } from "./site-copy-keys.ts";

export interface CopyContentDependencies {
  /** That of the installation. */
  config: Config;
  env: Environment;
  nodes: NodeRecords;
  keySeal: KeySeal;
}

/** Writes what all nodes have, or gives them what was changed here. True for the latter. The caller holds the copy's lock. */
export async function exchangeContent(
  { config, env, nodes, keySeal }: CopyContentDependencies,
  id: string,
  shared: SiteCopy,
): Promise<boolean> {
  const paths = copyPaths(config.paths.sites, id);
  const mark = await readMark(paths);
  const { incarnation, version } = shared;
  const { settings, keys: own, isWhole } = await readAvailable(paths);
  const isUnchanged =
    isWhole && mark !== null && !isChanged(mark, { settings: settings ?? "", keys: own });
  const isCurrent = isWhole && mark?.version === version;
  if (isUnchanged && isCurrent) return false;
  if (isCurrent) {
    // What no process could read isn't passed on.
    siteConfig(env, config, id);
    assertKeyFiles(paths.keys, own);
    const here = { settings: settings ?? "", keys: own };
    const keys = await keySeal.seal(id, incarnation, own);
    await nodes.change(id, { incarnation, version, settings: here.settings, keys });
    await writeMark(paths, { incarnation, version: version + 1 }, here);
    return true;
  }
  const known = await keySeal.open(id, shared);
  const keys = isUnchanged ? known : mergeKeys(known, own, paths);
  const content = { settings: shared.settings, keys };
  if (keys === known) {
    await writeContent(paths, content);
    await writeMark(paths, { incarnation, version }, content);
    return false;
  }
  // A key that only this node has: what is encrypted with it may be everywhere.
  const sealed = await keySeal.seal(id, incarnation, keys);
  await nodes.change(id, { incarnation, version, settings: shared.settings, keys: sealed });
  await writeContent(paths, content);
  await writeMark(paths, { incarnation, version: version + 1 }, content);
  return true;
}

/** Stores new keys of a site for all nodes, then here. Returns whether there are other nodes. Throws `conflict`. */
export async function replaceKeyring(
  { config, nodes, keySeal }: CopyContentDependencies,
  id: string,
  ring: StoredKeyring,
): Promise<boolean> {
  const paths = copyPaths(config.paths.sites, id);
  const [shared, mark] = [await nodes.find(id), await readMark(paths)];
  if (shared === null && mark === null) {
    await writeKeyring(paths.keys, ring);
    return false;
  }
  const here = await readContent(paths);
  const isOwn = mark?.incarnation === shared?.incarnation && mark?.version === shared?.version;
  if (shared === null || mark === null || !isOwn || isChanged(mark, here)) {
    const message = `The settings of the site “${id}” have just been changed on another node. Try again.`;
    throw new AppError("conflict", message);
  }
  const { incarnation, version } = shared;
  const content = { ...here, keys: { ...here.keys, [keyFiles.settings]: encodeKeyring(ring) } };
  const keys = await keySeal.seal(id, incarnation, content.keys);
  // All nodes can have the key before this one encrypts anything with it.
  await nodes.change(id, { incarnation, version, settings: here.settings, keys });
  await writeKeyring(paths.keys, ring);
  await writeMark(paths, { incarnation, version: version + 1 }, content);
  return true;
}

/**
 * Marks an unmarked folder as a copy if it has the site's keys, and removes what an interrupted command has
 * left. Throws `unavailable` for the folder of another site.
 */
export async function identifyFolder(
  { config, keySeal }: CopyContentDependencies,
  id: string,
  shared: SiteCopy,
): Promise<void> {
  const paths = copyPaths(config.paths.sites, id);
  if (!(await isInstalled(paths))) return removeCopy(config.paths.sites, id);
  const here = await readContent(paths);
  const keys = await keySeal.open(id, shared);
  if (Object.entries(keys).some(([name, text]) => here.keys[name] !== text)) {
    throw notReady(`${paths.dir} isn't a copy of the site “${id}”: move it away.`);
  }
  const { incarnation, version } = shared;
  return writeMark(paths, { incarnation, version }, { settings: shared.settings, keys });
}
