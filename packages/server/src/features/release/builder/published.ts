import { lstatSync } from "node:fs";
import { mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ifThere } from "../../../platform/files.ts";
import { linkOrCopy } from "../artifact/content-store.ts";
import { makeTurns } from "../artifact/turns.ts";
import type { Slot } from "./sandbox-parts.ts";

/** Where a build finds the share pictures that are live, below its site folder. */
export const publishedPictures = "published/og";

/** Share pictures are named by what they are made of. */
const pictureName = /^[0-9a-f]{32}\.png$/;

/**
 * Puts the share pictures of the live release, found by the link `current`, where a build reads them:
 * what is there is copied instead of drawn. They are hard links in a folder that the build can't write,
 * and only what was published is ever among them, so no build changes what another one gets.
 */
export async function linkPublished(current: string | undefined, slot: Slot): Promise<void> {
  if (current === undefined) return;
  const release = await ifThere(realpath(current));
  if (release === undefined) return;
  const from = join(release, "og");
  const names = (await ifThere(readdir(from))) ?? [];
  const to = join(slot.site, publishedPictures);
  await mkdir(to, { recursive: true, mode: 0o755 });
  const turn = makeTurns();
  for (const name of names.filter((candidate) => pictureName.test(candidate))) {
    await turn();
    // A release may be removed at any time: what is gone is drawn.
    if (!lstatSync(join(from, name), { throwIfNoEntry: false })?.isFile()) continue;
    await ifThere(linkOrCopy(join(from, name), join(to, name)));
  }
}
