import type { Folder } from "../folder/folder.ts";
import { isImageName } from "../folder/media-names.ts";
import type { StudyFile } from "../folder/studies.ts";

/** A smaller version of an image next to it, such as cover-sm.webp or cover-p-500.jpg. */
const resized =
  /[-_@](?:sm|md|lg|small|medium|large|thumb(?:nail)?|p-\d+|\d+w|\d+x(?:\d+)?|[23]x)$/i;

function isResized(path: string, { files }: Folder): boolean {
  const end = path.lastIndexOf(".");
  const stem = path.slice(0, end);
  return resized.test(stem) && files.has(stem.replace(resized, "") + path.slice(end));
}

/** The images of each study's own folder, which is the nearest parent folder of a study. */
export function imagesBeside(folder: Folder, files: readonly StudyFile[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { bundle } of files) if (bundle !== null) found.set(bundle, []);
  for (const path of [...folder.files.keys()].toSorted()) {
    if (!isImageName(path) || isResized(path, folder)) continue;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const images = found.get(path.slice(0, end + 1));
      images?.push(path);
      if (images !== undefined) break;
    }
  }
  return found;
}
