import type { CopyFile } from "../copy/site-copy.ts";

/** What a target that holds files with these marks lacks. */
export interface Changes {
  /** In the order in which they are sent. */
  changed: CopyFile[];
  /** What isn't part of the copy any more. */
  gone: string[];
}

/** Compares what a target holds with a copy. A file with an empty mark is sent again. */
export function changesSince(
  marks: ReadonlyMap<string, string>,
  files: readonly CopyFile[],
  markOf: (file: CopyFile) => string,
): Changes {
  const paths = new Set(files.map(({ path }) => path));
  return {
    changed: files.filter((file) => marks.get(file.path) !== markOf(file)),
    gone: [...marks.keys()].filter((path) => !paths.has(path)),
  };
}

/** Parts of a list, with so many items each. */
export function batchesOf<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
