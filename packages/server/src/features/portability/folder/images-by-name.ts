import { slugOf } from "../../projects/slug.ts";
import type { Folder } from "./folder.ts";
import { isImageName } from "./media-names.ts";

const stemOf = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");

/**
 * Makes what finds the image that is called like a study, as themes do that name none: null where no
 * image is, or more than one that may mean something else.
 */
export function makeImagesByName({ files }: Pick<Folder, "files">) {
  const byName = new Map<string, string[]>();
  for (const path of files.keys()) {
    const name = slugOf(stemOf(path));
    if (isImageName(path)) byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  return (names: readonly string[]): string | null => {
    for (const name of names) {
      const [first, second] = byName.get(slugOf(name)) ?? [];
      if (first !== undefined && second === undefined) return first;
    }
    return null;
  };
}
