import { slugOf } from "../../projects/slug.ts";
import type { Folder } from "../folder/folder.ts";
import { isImageName } from "../folder/media-names.ts";
import type { Problem } from "../problem.ts";
import type { ResumeWithPortrait } from "../resume/portrait.ts";
import { isFilePiece } from "../study/body.ts";
import { emptyDoubt, type Study } from "../study/study.ts";

/** The images of studies and a résumé, without duplicates. */
export function imagesOf(
  studies: readonly Study[],
  resume: Pick<ResumeWithPortrait, "portrait"> | null = null,
): string[] {
  const paths = studies.flatMap(({ gallery, body }) => [
    ...(gallery ?? []).map(({ path }) => path),
    ...body.filter(isFilePiece).map(({ path }) => path),
  ]);
  return [...new Set([...paths, ...(resume?.portrait ? [resume.portrait] : [])])];
}

const stemOf = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");

/** More images in a folder are hardly all about one project. */
const maxFolderImages = 30;

/** The images in the only folder with one of the study's names; empty if there are several. */
function imagesInNamedFolder(
  { shortNames }: Study,
  byFolder: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  for (const name of shortNames) {
    const paths = byFolder.get(slugOf(name)) ?? [];
    const folders = new Set(paths.map((path) => path.slice(0, path.lastIndexOf("/"))));
    if (folders.size === 1 && paths.length <= maxFolderImages) return paths;
  }
  return [];
}

/**
 * Adds images with the same name to studies that show none, as some themes do: the only image with
 * that name, or those in the only folder with it. Only images that no other study shows are added.
 */
export function addImagesByName(
  { files }: Pick<Folder, "files">,
  studies: readonly Study[],
): { studies: Study[]; problems: Problem[] } {
  const shown = new Set(imagesOf(studies));
  const images = [...files.keys()].filter((path) => isImageName(path) && !shown.has(path));
  const byName = Map.groupBy(images, (path) => slugOf(stemOf(path)));
  const folderOf = (path: string) => path.split("/").at(-2) ?? "";
  const byFolder = Map.groupBy(images, (path) => slugOf(folderOf(path)));
  const problems: Problem[] = [];
  const illustrated = studies.map((study) => {
    if (imagesOf([study]).length > 0) return study;
    const found = study.shortNames.map((name) => byName.get(slugOf(name)) ?? []);
    const [path] = found.find((paths) => paths.length === 1) ?? [];
    const paths = path === undefined ? imagesInNamedFolder(study, byFolder) : [path];
    const [first = ""] = paths;
    if (paths.length === 0) return study;
    const message =
      path === undefined
        ? `shows the images in ${first.slice(0, first.lastIndexOf("/") + 1)}, which has the same name`
        : `shows ${path}, which has the same name`;
    problems.push({ level: "note", file: study.file, line: null, field: null, message });
    const gallery = paths.map((each) => ({ path: each, alt: undefined, caption: "" }));
    return { ...study, gallery, doubt: study.doubt === emptyDoubt ? null : study.doubt };
  });
  return { studies: illustrated, problems };
}
