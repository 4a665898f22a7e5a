import { join } from "node:path";
import type { SiteBuilder } from "../../packages/server/src/features/release/builder/build.ts";

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
