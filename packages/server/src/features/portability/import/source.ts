import { basename, dirname } from "node:path";
import { realpath, stat } from "node:fs/promises";
import { AppError } from "../../../kit/errors.ts";
import { type Folder, scanFolder, readBytes } from "../folder/folder.ts";
import { makeResolver, type Resolved } from "../folder/resolve.ts";
import type { Generator } from "../folder/generator.ts";
import { detectGenerator, type SiteLayout } from "../folder/generator.ts";
import { configuredLanguage } from "../folder/languages.ts";
import { findStudies, type FoundStudies, type StudyFile } from "../folder/studies.ts";
import { readText } from "../folder/text-file.ts";
import { isPossible, type Problem, type Skipped } from "../problem.ts";
import { readResume } from "../resume/json-resume.ts";
import { type ResumeWithPortrait, readPortrait } from "../resume/portrait.ts";
import { acceptLoose, weighEntries } from "./accepted-studies.ts";
import { addImagesByName, imagesOf } from "./images-by-name.ts";
import { imagesBeside } from "./own-images.ts";
import { separateSlugs } from "./unique-slugs.ts";
import { type DataStudies, readDataStudies } from "../data/data-studies.ts";
import {
  readStudy,
  type ReadStudyOptions,
  type ReadStudyResult,
  type Study,
} from "../study/study.ts";
import { withSections } from "./sections.ts";

/** The content to import, and its problems. */
export interface Source {
  folder: Folder;
  generator: Generator;
  /** In their final order, including possible projects. */
  studies: Study[];
  /** Files that aren't studies or can't be read. */
  skipped: Skipped[];
  resume: ({ file: string } & ResumeWithPortrait) | null;
  problems: Problem[];
}

/** The maximum size of a study, in bytes. */
const maxStudyBytes = 1024 * 1024;
const maxStudies = 2000;

const byNumber = new Intl.Collator("en", { numeric: true });

/** By their order field, then the latest first, then by name, where 2 is before 10. */
function compare(a: Study, b: Study): number {
  const order = (study: Study) => study.order ?? Number.POSITIVE_INFINITY;
  if (order(a) !== order(b)) return order(a) - order(b);
  const [dateA, dateB] = [a.date ?? "", b.date ?? ""];
  if (dateA !== dateB) return dateA < dateB ? 1 : -1;
  return byNumber.compare(a.file, b.file) || (a.file < b.file ? -1 : 1);
}

type Resolver = ReturnType<typeof makeResolver>;

async function readStudyFile(
  folder: Folder,
  file: StudyFile,
  options: { resolve: Resolver } & ReadStudyOptions,
): Promise<ReadStudyResult> {
  const main = await readTextFile(folder, file, options);
  if (main.study === null || file.sections.length === 0) return main;
  const problems = [...main.problems];
  const sections: Study[] = [];
  for (const path of file.sections) {
    const part = { ...file, path, stem: stemOfSection(path), bundle: null, sections: [] };
    const read = await readTextFile(folder, part, { ...options, beside: [] });
    problems.push(...read.problems.map(asWarning));
    if (read.study !== null) sections.push(read.study);
  }
  const whole = withSections(main.study, sections);
  return { study: whole.study, problems: [...problems, ...whole.problems] };
}

/** The name of a section's folder or file, without its number. */
function stemOfSection(path: string): string {
  const name = /^index\.[^.]+$/i.test(basename(path)) ? basename(dirname(path)) : basename(path);
  return name.replace(/\.[^.]+$/, "").replace(/^\d+[-_. ]*/, "");
}

async function readTextFile(
  folder: Folder,
  file: StudyFile,
  { resolve, ...options }: { resolve: Resolver } & ReadStudyOptions,
): Promise<ReadStudyResult> {
  const size = folder.files.get(file.path) ?? 0;
  const fault = (message: string) => {
    const problem: Problem = { level: "error", file: file.path, line: null, field: null, message };
    return { study: null, problems: [problem] };
  };
  if (size > maxStudyBytes) return fault("is larger than 1 MiB");
  const text = readText(await readBytes(folder, file.path, maxStudyBytes));
  if ("fault" in text) return fault(text.fault);
  const from = dirname(file.path) === "." ? "" : dirname(file.path);
  return readStudy(file, text.text, (address) => resolve(address, from, file.stem), options);
}

/** Why a file couldn't be read, with the line if known. */
function reasonOf({ line, message }: Problem): string {
  const text = message.replace(/\.$/, "");
  return line === null ? text : `${text} (line ${line})`;
}

async function readStudies(
  folder: Folder,
  { studies: files, layout }: Pick<FoundStudies, "studies" | "layout">,
  resolve: Resolver,
) {
  const studies: Study[] = [];
  const problems: Problem[] = [];
  const skipped: Skipped[] = [];
  const beside = imagesBeside(folder, files);
  for (const file of files) {
    const own = beside.get(file.bundle ?? "") ?? [];
    const spacedLists = layout.generator === "jekyll";
    const options = { resolve, beside: own, spacedLists };
    const read = await readStudyFile(folder, file, options);
    if (read.study !== null) {
      studies.push(read.study);
      problems.push(...read.problems);
      continue;
    }
    const errors = read.problems.filter(({ level }) => level === "error");
    const reason = errors.map(reasonOf).slice(0, 3).join("; ") || "can’t be read";
    skipped.push({ file: file.path, reason });
  }
  const listed = await readListed(folder, {
    layout,
    resolve,
    texts: weighEntries(studies),
  });
  const illustrated = addImagesByName(folder, listed.studies);
  const separate = separateSlugs(illustrated.studies);
  return {
    studies: separate.studies.toSorted(compare),
    problems: [...problems, ...listed.problems, ...illustrated.problems, ...separate.problems],
    skipped: [...skipped, ...listed.skipped],
  };
}

/** A study without images shows those of the data file that has the same project. */
function withListedImages(study: Study, { images }: DataStudies): Study {
  const listed = images.get(study.file) ?? [];
  return listed.length > 0 && imagesOf([study]).length === 0
    ? { ...study, gallery: listed }
    : study;
}

interface ListedOptions {
  layout: SiteLayout;
  resolve: Resolver;
  texts: Study[];
}

/**
 * Adds the projects in data files. If no study has a text, they are the case studies, and posts are
 * only possible ones; otherwise they are proposed.
 */
async function readListed(
  folder: Folder,
  { layout, resolve, texts }: ListedOptions,
): Promise<DataStudies> {
  const isTold = texts.some(
    (study) => study.doubt === null && (!study.isEntry || study.isCalledStudy),
  );
  const byName = new Map(texts.map((study) => [study.fields.name.toLowerCase(), study]));
  const bySlug = new Map(texts.map((study) => [study.slug, study]));
  const listed = await readDataStudies(folder, {
    layout,
    language: await readLanguage(folder),
    resolve,
    textOf: ({ slug, fields }) => bySlug.get(slug) ?? byName.get(fields.name.toLowerCase()) ?? null,
    doubtOf: (kind) =>
      kind === "entry" || !isTold
        ? null
        : "it is only in a list, while other projects have their own files",
  });
  const own = listed.studies.some(({ doubt }) => doubt === null) && !isTold;
  const doubt = "its folder may contain something else, because the projects are in a list";
  const weighed = texts.map((study) =>
    own && study.doubt === null && study.isEntry ? { ...study, doubt } : study,
  );
  const illustrated = weighed.map((study) => withListedImages(study, listed));
  return { ...listed, studies: acceptLoose([...illustrated, ...listed.studies]) };
}

export interface ReadSourceOptions {
  /** Why an image can't be imported, by its path. */
  unusable?: ReadonlyMap<string, string>;
}

/** The language in the generator's configuration. */
async function readLanguage(folder: Folder): Promise<string | null> {
  const { config } = detectGenerator(folder);
  if (config === null || (folder.files.get(config) ?? 0) > maxStudyBytes) return null;
  const text = readText(await readBytes(folder, config, maxStudyBytes));
  return "text" in text ? configuredLanguage(text.text) : null;
}

async function readFolder(path: string, { unusable }: ReadSourceOptions): Promise<Source> {
  const folder = await scanFolder(path);
  const found = findStudies(folder, await readLanguage(folder));
  const { generator, base } = found.layout;
  const problems: Problem[] = [];
  const report = (message: string) =>
    problems.push({ level: "error", file: "", line: null, field: null, message });
  if (found.studies.length > maxStudies) {
    report(
      `contains ${found.studies.length} case studies, but at most ${maxStudies} can be imported at once`,
    );
    return { folder, generator, studies: [], skipped: found.skipped, resume: null, problems };
  }
  const bundles = new Set(found.studies.flatMap(({ bundle }) => (bundle === null ? [] : [bundle])));
  const searching = { searches: true, base, bundles };
  const resolve = makeResolver(folder, { ...searching, ...(unusable && { unusable }) });
  const read = await readStudies(folder, found, resolve);
  problems.push(...read.problems);
  const skipped = [...found.skipped, ...read.skipped];
  const strict = makeResolver(folder, unusable && { unusable });
  const beside = (address: string) => strict(address, "");
  const reported: Problem[] = [];
  const resume =
    found.resume === null ? null : await readResumeIn(folder, found.resume, reported, beside);
  // Next to case studies, an unreadable résumé is left out on its own.
  const isAlone = read.studies.length === 0;
  if (found.resume !== null && resume === null && !isAlone) {
    const first = reported.find(({ level }) => level === "error");
    skipped.push({ file: found.resume, reason: first ? reasonOf(first) : "isn't a JSON Resume" });
  } else {
    problems.push(...(isAlone ? reported : reported.map(asWarning)));
  }
  if (isAlone && found.resume === null) {
    report("contains no case study (name.md or name/index.md) and no resume.json");
  }
  return { folder, generator, studies: read.studies, skipped, resume, problems };
}

function asWarning(problem: Problem): Problem {
  return isPossible([problem]) ? problem : { ...problem, level: "warning" };
}

async function readResumeIn(
  folder: Folder,
  file: string,
  problems: Problem[],
  resolve: ((address: string) => Resolved) | null,
): Promise<Source["resume"]> {
  const size = folder.files.get(file) ?? 0;
  const bytes =
    size > maxStudyBytes
      ? Buffer.alloc(maxStudyBytes + 1)
      : await readBytes(folder, file, maxStudyBytes);
  const read = readResume(file, bytes);
  problems.push(...read.problems);
  if (read.resume === null) return null;
  const { problems: reported, ...imaged } = readPortrait(file, read.resume, resolve);
  problems.push(...reported);
  return { file, ...imaged };
}

/**
 * Reads the content to import: a folder of case studies, with or without a `resume.json`, or a
 * single JSON Resume. Throws `not_found`, `bad_request` if it is neither, `too_large`.
 */
export async function readSource(path: string, options: ReadSourceOptions = {}): Promise<Source> {
  const info = await stat(path).catch((cause: unknown) => {
    throw new AppError("not_found", `Nothing was found at ${path}.`, { cause });
  });
  if (info.isDirectory()) return readFolder(path, options);
  if (!info.isFile() || !/\.json$/i.test(path)) {
    const message =
      "Give the path of a JSON Resume (a .json file) or of a folder with case studies.";
    throw new AppError("bad_request", message);
  }
  const root = await realpath(dirname(path));
  const file = basename(path);
  const folder: Folder = { root, files: new Map([[file, info.size]]), others: new Set() };
  const problems: Problem[] = [];
  const resume = await readResumeIn(folder, file, problems, null);
  return { folder, generator: "none", studies: [], skipped: [], resume, problems };
}
