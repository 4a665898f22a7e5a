import { cp, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { SiteBuilder } from "../../packages/server/src/features/release/builder/build.ts";
import { exists, removeTree } from "../../packages/server/src/platform/files.ts";
import type { InstancePaths } from "../../packages/server/src/platform/paths.ts";

const shelf = process.env["TEST_SHELF"];
const kept = shelf === undefined ? null : join(shelf, "builder-code");

/**
 * For the paths of a builder: where all tests keep the program's compiled code, so that builds load in
 * less time. None unless scripts/test.ts names the folder.
 */
export const sharedCode = kept === null ? {} : { builderCode: kept };

/** Has that code compiled unless it is there. Returns the builder. */
export async function withSharedCode(opening: Promise<SiteBuilder>): Promise<SiteBuilder> {
  const builder = await opening;
  await builder.compileCode();
  return builder;
}

/** Gives an instance that isn't installed yet the compiled code of all tests, if there is some. */
export async function copySharedCode({ builderCode }: InstancePaths): Promise<void> {
  if (kept !== null && (await exists(kept))) await cp(kept, builderCode, { recursive: true });
}

/** Keeps what an installation has compiled for all tests, unless they have it. */
export async function keepSharedCode({ builderCode }: InstancePaths): Promise<void> {
  if (kept === null || (await exists(kept)) || !(await exists(builderCode))) return;
  const temporary = `${kept}-${process.pid}`;
  await mkdir(join(kept, ".."), { recursive: true });
  await cp(builderCode, temporary, { recursive: true });
  // Where another one was faster, its folder is as good.
  await rename(temporary, kept).catch(() => removeTree(temporary));
}
