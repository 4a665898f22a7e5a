import { dirname } from "node:path";
import { type DataFile, findDataFiles, maxDataBytes } from "../folder/data-files.ts";
import { type Folder, readBytes } from "../folder/folder.ts";
import type { SiteLayout } from "../folder/generator.ts";
import type { Resolved } from "../folder/resolve.ts";
import type { StudyFile } from "../folder/studies.ts";
import { readText } from "../folder/text-file.ts";
import type { Problem, Skipped } from "../problem.ts";
import type { StudyImage } from "../study/gallery.ts";
import { readDataStudy, type Study } from "../study/study.ts";
import { type DataEntry, readDataEntries } from "./data-entries.ts";

/** Far above any real site. */
const maxDataStudies = 1000;

export interface DataStudies {
  studies: Study[];
  problems: Problem[];
  skipped: Skipped[];
  /** The images of projects that also have a text file, by its path. */
  images: Map<string, StudyImage[]>;
}

/** A study from a list is identified by the file's path and its key. */
function studyFileOf({ path, kind }: DataFile, { key }: DataEntry): StudyFile {
  return {
    path: kind === "entry" ? path : `${path}#${key}`,
    stem: key,
    date: null,
    doubt: null,
    isEntry: false,
    isDraft: false,
    bundle: null,
    sections: [],
  };
}

export interface ReadDataStudiesOptions {
  layout: SiteLayout;
  /** The language in the generator's configuration. */
  language: string | null;
  resolve(address: string, from: string): Resolved;
  /** The study in a text file that is the same project; null if there is none. */
  textOf(study: Study): Study | null;
  /** Why an entry of a list may not be a project; null if it certainly is one. */
  doubtOf(kind: DataFile["kind"]): string | null;
}

/**
 * Reads the projects in a site's data files: lists of them, and entries without a text. If several
 * are the same project, the first one is used; projects that also have a text file are left out.
 */
export async function readDataStudies(
  folder: Folder,
  { layout, language, resolve, textOf, doubtOf }: ReadDataStudiesOptions,
): Promise<DataStudies> {
  const result: DataStudies = { studies: [], problems: [], skipped: [], images: new Map() };
  const taken = new Map<string, string>();
  for (const file of findDataFiles(folder, layout, language)) {
    const content = readText(await readBytes(folder, file.path, maxDataBytes));
    if ("fault" in content) continue;
    const from = dirname(file.path) === "." ? "" : dirname(file.path);
    for (const entry of readDataEntries(file, content.text)) {
      const studyFile = studyFileOf(file, entry);
      const find = (address: string) => resolve(address, from);
      const read = readDataStudy(studyFile, entry, find);
      if (read.study === null || result.studies.length >= maxDataStudies) continue;
      const unsure = entry.isUnsure ? `${file.path} may list something else` : null;
      const doubt = read.study.doubt ?? unsure ?? doubtOf(file.kind);
      const study = { ...read.study, doubt };
      const name = study.fields.name.toLowerCase();
      const text = textOf(study)?.file;
      const other = text ?? taken.get(study.slug) ?? taken.get(name);
      if (text !== undefined && !result.images.has(text)) {
        result.images.set(text, study.gallery ?? []);
      }
      if (other !== undefined) {
        result.skipped.push({ file: study.file, reason: `is a short version of ${other}` });
        continue;
      }
      taken.set(study.slug, study.file).set(name, study.file);
      result.studies.push(study);
      result.problems.push(...read.problems);
    }
  }
  return result;
}
