import { lstatSync } from "node:fs";
import { mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing } from "../../../platform/files.ts";
import { linkOrCopy } from "../artifact/content-store.ts";
import { makeYieldToEventLoop } from "../artifact/yield-to-event-loop.ts";
import type { Slot } from "./sandbox-bounds.ts";

/** Where a build finds the share images that are live, below its site folder. */
export const publishedImagesFolder = "published/og";

/** Where a build finds the résumé's file that is live, below its site folder. */
export const publishedResumeFile = "published/resume.pdf";

/** Share images are named by what they are made of. */
const imageName = /^[0-9a-f]{32}\.png$/;

/** Links a file unless it is gone or no regular file: a release may be removed at any time. */
async function linkFile(from: string, to: string): Promise<void> {
  if (!lstatSync(from, { throwIfNoEntry: false })?.isFile()) return;
  await undefinedIfMissing(linkOrCopy(from, to));
}

/**
 * Puts what takes long to draw of the live release, found by the link `current`, where a build reads
 * it: the share images and the résumé's file. What is there and still right is copied instead of drawn. They are hard links in a folder
 * that the build can't write, and only what was published is ever among them, so no build changes
 * what another one gets.
 */
export async function linkPublishedFiles(current: string | undefined, slot: Slot): Promise<void> {
  if (current === undefined) return;
  const release = await undefinedIfMissing(realpath(current));
  if (release === undefined) return;
  const from = join(release, "og");
  const names = (await undefinedIfMissing(readdir(from))) ?? [];
  const to = join(slot.site, publishedImagesFolder);
  await mkdir(to, { recursive: true, mode: 0o755 });
  const turn = makeYieldToEventLoop();
  for (const name of names.filter((candidate) => imageName.test(candidate))) {
    await turn();
    await linkFile(join(from, name), join(to, name));
  }
  await linkFile(join(release, "resume.pdf"), join(slot.site, publishedResumeFile));
}
