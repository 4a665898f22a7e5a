import { lstatSync } from "node:fs";
import { join } from "node:path";

/** Whether files of a site are stored media, by their path below the site's root. */
export type MediaAnswers = ReadonlyMap<string, boolean>;

/** A build can write below media/, too: only files in the store under the same name are skipped. */
export function isStoredMedia(mediaDir: string, file: string): boolean {
  if (!file.startsWith("media/")) return false;
  const stored = join(mediaDir, file.slice("media/".length));
  return lstatSync(stored, { throwIfNoEntry: false })?.isFile() === true;
}
