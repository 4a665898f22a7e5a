import type { Stats } from "node:fs";

/**
 * Identifies an unchanged file: any write changes its ctime, which programs can't set. Only for
 * files that nobody links in the meantime, because that changes it as well.
 */
export function fileMark(stat: Stats): string {
  return `${contentMark(stat)} ${stat.ctimeMs}`;
}

/**
 * The same for the program's own files, which no sandbox writes: hard links share their mark, and
 * manual edits change it.
 */
export function contentMark(stat: Stats): string {
  return `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}
