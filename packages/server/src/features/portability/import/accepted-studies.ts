import { basename, dirname } from "node:path";
import { looseDoubt } from "../folder/studies.ts";
import type { Study } from "../study/study.ts";
import { imagesOf } from "./images-by-name.ts";

/** If there are only blog entries, those marked as projects are the studies. */
export function weighEntries(studies: readonly Study[]): Study[] {
  const sure = studies.filter(({ doubt }) => doubt === null);
  const isMixed = sure.some((study) => study.isEntry && study.isCalledStudy);
  return studies.map((study) =>
    isMixed && study.doubt === null && study.isEntry && !study.isCalledStudy
      ? {
          ...study,
          doubt: "its front matter doesn't mark it as a project, unlike that of other files",
        }
      : study,
  );
}

/**
 * If nothing else is a study, texts with front matter and images in the same folder are, such as
 * those in src/data/.
 */
export function acceptLoose(studies: Study[]): Study[] {
  if (studies.some(({ doubt }) => doubt === null)) return studies;
  const isLikely = (study: Study) =>
    study.doubt === looseDoubt && study.hasFrontMatter && imagesOf([study]).length > 0;
  const folderOf = ({ file }: Study) =>
    dirname(/^index\./i.test(basename(file)) ? dirname(file) : file);
  const counts = new Map<string, number>();
  for (const study of studies.filter(isLikely)) {
    counts.set(folderOf(study), (counts.get(folderOf(study)) ?? 0) + 1);
  }
  return studies.map((study) =>
    isLikely(study) && (counts.get(folderOf(study)) ?? 0) > 1 ? { ...study, doubt: null } : study,
  );
}
