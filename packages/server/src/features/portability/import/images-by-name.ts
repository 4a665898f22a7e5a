import { slugOf } from "../../projects/slug.ts";
import type { Folder } from "../folder/folder.ts";
import { isImageName } from "../folder/media-names.ts";
import type { Problem } from "../problem.ts";
import type { ResumeWithPortrait } from "../resume/portrait.ts";
import type { Study } from "../study/study.ts";

/** The images of studies and a résumé, without duplicates. */
export function imagesOf(
  studies: readonly Study[],
  resume: Pick<ResumeWithPortrait, "portrait"> | null = null,
): string[] {
  const paths = studies.flatMap(({ gallery, body }) => [
    ...(gallery ?? []).map(({ path }) => path),
    ...body.flatMap((piece) => (typeof piece === "string" ? [] : [piece.path])),
  ]);
  return [...new Set([...paths, ...(resume?.portrait ? [resume.portrait] : [])])];
}

const stemOf = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");

/**
 * Adds an image with the same name to studies that show none, as some themes do: only if no other
 * study shows that image, and only if there is exactly one.
 */
export function addImagesByName(
  { files }: Pick<Folder, "files">,
  studies: readonly Study[],
): { studies: Study[]; problems: Problem[] } {
  const shown = new Set(imagesOf(studies));
  const images = [...files.keys()].filter((path) => isImageName(path) && !shown.has(path));
  const byName = Map.groupBy(images, (path) => slugOf(stemOf(path)));
  const problems: Problem[] = [];
  const illustrated = studies.map((study) => {
    if (imagesOf([study]).length > 0) return study;
    const found = study.shortNames.map((name) => byName.get(slugOf(name)) ?? []);
    const [path] = found.find((paths) => paths.length === 1) ?? [];
    if (path === undefined) return study;
    const message = `shows ${path}, which has the same name`;
    problems.push({ level: "note", file: study.file, line: null, field: null, message });
    return { ...study, gallery: [{ path, alt: undefined, caption: "" }] };
  });
  return { studies: illustrated, problems };
}
