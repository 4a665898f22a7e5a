import { cp, rename } from "node:fs/promises";
import { join } from "node:path";
import type { SiteBuilder } from "../../packages/server/src/features/release/builder/build.ts";
import { exists, removeTree } from "../../packages/server/src/platform/files.ts";
import type { InstancePaths } from "../../packages/server/src/platform/paths.ts";

const shelf = process.env["TEST_SHELF"];

/**
 * For the paths of a builder: where all tests keep the program's compiled code, so that builds load in
 * less time. None unless scripts/test.ts names the folder.
 */
export const sharedCode = shelf === undefined ? {} : { builderCode: join(shelf, "builder-code") };

/** Has that code compiled unless it is there. Returns the builder. */
export async function withSharedCode(opening: Promise<SiteBuilder>): Promise<SiteBuilder> {
  const builder = await opening;
  await builder.compileCode();
  return builder;
}

/** What an instance keeps of compiled code: the program's for builders, and sites'. */
const compiledFolders = ["builderCode", "compiledSites"] as const;

/** Where all tests keep what the first installation has compiled. */
const installedCode = shelf === undefined ? null : join(shelf, "installed-code");

/** Gives an instance that isn't installed yet what an earlier installation has compiled, if any. */
export async function copyInstalledCode(paths: InstancePaths): Promise<void> {
  if (installedCode === null || !(await exists(installedCode))) return;
  for (const name of compiledFolders) {
    await cp(join(installedCode, name), paths[name], { recursive: true });
  }
}

/** Keeps what an installation has compiled for all tests, unless they have it. */
export async function keepInstalledCode(paths: InstancePaths): Promise<void> {
  if (installedCode === null || (await exists(installedCode))) return;
  const temporary = `${installedCode}-${process.pid}`;
  for (const name of compiledFolders) {
    // An installation that joins others builds nothing.
    if (!(await exists(paths[name]))) return removeTree(temporary);
    await cp(paths[name], join(temporary, name), { recursive: true });
  }
  // Where another one was faster, its folder is as good.
  await rename(temporary, installedCode).catch(() => removeTree(temporary));
}
