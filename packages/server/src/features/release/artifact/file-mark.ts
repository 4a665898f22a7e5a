import type { Stats } from "node:fs";

/**
 * What tells that a file is still the one that was read: any write gives it another ctime, which no
 * program can set. Only for files whose names nobody links meanwhile: a link sets it as well.
 */
export function fileMark(stat: Stats): string {
  return `${contentMark(stat)} ${stat.ctimeMs}`;
}

/**
 * The same for files of this program's own, which no sandbox writes: hard links to one have one
 * mark, and an edit by hand gives it another.
 */
export function contentMark(stat: Stats): string {
  return `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}
