import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { mkdir, readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { undefinedIfMissing } from "../../../platform/files.ts";
import { linkOrCopy } from "../artifact/content-store.ts";
import { makeYieldToEventLoop } from "../artifact/yield-to-event-loop.ts";
import type { Slot } from "./sandbox-bounds.ts";

/** Where a build finds the share images that are live, below its site folder. */
export const publishedImagesFolder = "published/og";

/** Where a build finds the résumé's file that is live, below its site folder. */
export const publishedResumeFile = "published/resume.pdf";

/** Where a site has its index for searching, with its parts. */
const searchFolder = "pagefind";

/** Share images are named by what they are made of. */
const imageName = /^[0-9a-f]{32}\.png$/;

/** Links a file unless it is gone or no regular file: a release may be removed at any time. */
async function linkFile(from: string, to: string): Promise<void> {
  if (!lstatSync(from, { throwIfNoEntry: false })?.isFile()) return;
  await undefinedIfMissing(linkOrCopy(from, to));
}

/** Parts of the search index are named by what they are made of. */
const partName = /^[0-9a-f]{32}$/;
const maxParts = 100;
const maxPartFiles = 2000;

/** What a build can have of the live release. */
export interface PublishedFiles {
  /** The release's folder; null: there is none. */
  release: string | null;
  /** The share images, by their file names. */
  images: ReadonlySet<string>;
  /** The parts of the search index. */
  searchParts: string[];
}

async function namesIn(folder: string, pattern: RegExp): Promise<string[]> {
  const names = (await undefinedIfMissing(readdir(folder))) ?? [];
  return names.filter((name) => pattern.test(name));
}

/**
 * Puts what takes long to draw of the live release, found by the link `current`, where a build reads
 * it: the share images and the résumé's file. What is there and still right is copied instead of drawn. They are hard links in a folder
 * that the build can't write, and only what was published is ever among them, so no build changes
 * what another one gets.
 */
export async function linkPublishedFiles(
  current: string | undefined,
  slot: Slot,
): Promise<PublishedFiles> {
  const release = current === undefined ? undefined : await undefinedIfMissing(realpath(current));
  if (release === undefined) return { release: null, images: new Set(), searchParts: [] };
  const from = join(release, "og");
  const images = await namesIn(from, imageName);
  const to = join(slot.site, publishedImagesFolder);
  await mkdir(to, { recursive: true, mode: 0o755 });
  const turn = makeYieldToEventLoop();
  for (const name of images) {
    await turn();
    await linkFile(join(from, name), join(to, name));
  }
  await linkFile(join(release, "resume.pdf"), join(slot.site, publishedResumeFile));
  const searchParts = (await namesIn(join(release, searchFolder), partName)).slice(0, maxParts);
  return { release, images: new Set(images), searchParts };
}

/** A file of a part, without compressed siblings. */
const partFile = /^(?:pagefind-entry\.json|[\w.-]+\.pf_[a-z]+)$/;

/** The files of a part, by their paths in its folder. */
function filesOfPart(folder: string): string[] {
  const files = ["", "index/", "fragment/"].flatMap((at) =>
    readdirSync(join(folder, at))
      .filter((name) => partFile.test(name))
      .map((name) => at + name),
  );
  return files.slice(0, maxPartFiles);
}

/** Makes a folder in the output of a build that has ended; throws where a link leads elsewhere. */
function makeFolderIn(out: string, path: string): void {
  let at = out;
  for (const name of path.split("/")) {
    at = join(at, name);
    const info = lstatSync(at, { throwIfNoEntry: false });
    if (info === undefined) mkdirSync(at, { mode: 0o755 });
    else if (!info.isDirectory()) {
      throw new AppError("validation_failed", `${path} in the build's output is no folder.`);
    }
  }
}

/**
 * Links the parts of the live search index that an ended build asks for into its output; it can only
 * have those that it was offered. Throws AppError `conflict` if they are gone by now.
 */
export async function linkKeptSearchParts(
  { release, searchParts }: PublishedFiles,
  slot: Slot,
  kept: readonly string[],
): Promise<void> {
  const turn = makeYieldToEventLoop();
  for (const name of searchParts.filter((part) => kept.includes(part))) {
    const from = join(release ?? "", searchFolder, name);
    const path = `${searchFolder}/${name}`;
    try {
      for (const file of filesOfPart(from)) {
        await turn();
        makeFolderIn(slot.out, dirname(`${path}/${file}`));
        await linkOrCopy(join(from, file), join(slot.out, path, file));
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      const message = "The live site has changed since the build began. Build it again.";
      throw new AppError("conflict", message, { cause });
    }
  }
}
