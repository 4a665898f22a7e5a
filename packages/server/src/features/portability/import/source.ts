import { basename, dirname } from "node:path";
import { realpath, stat } from "node:fs/promises";
import { AppError } from "../../../kit/errors.ts";
import { type Folder, scanFolder, readBytes } from "../folder/folder.ts";
import { makeResolver, type Resolved } from "../folder/resolve.ts";
import type { Generator } from "../folder/generator.ts";
import { detectGenerator, type SiteLayout } from "../folder/generator.ts";
import { configuredLanguage } from "../folder/languages.ts";
import { isImageName } from "../folder/media-names.ts";
import { findStudies, type FoundStudies, looseDoubt, type StudyFile } from "../folder/studies.ts";
import { readText } from "../folder/text-file.ts";
import { isPossible, type Problem, type Skipped } from "../problem.ts";
import { freeSlug } from "../../projects/slug.ts";
import { readResume } from "../resume/json-resume.ts";
import { type ResumeWithPortrait, readPortrait } from "../resume/portrait.ts";
import { addImagesByName, imagesOf } from "./images-by-name.ts";
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

/** By their order field, then the latest first, then by name. */
function compare(a: Study, b: Study): number {
  const order = (study: Study) => study.order ?? Number.POSITIVE_INFINITY;
  if (order(a) !== order(b)) return order(a) - order(b);
  const [dateA, dateB] = [a.date ?? "", b.date ?? ""];
  if (dateA !== dateB) return dateA < dateB ? 1 : -1;
  return a.file < b.file ? -1 : 1;
}

/** Gives each study a unique address; the first file by name keeps its own. */
function separateSlugs(studies: readonly Study[]): { studies: Study[]; problems: Problem[] } {
  const taken = new Map<string, string>();
  const problems: Problem[] = [];
  // Those that are imported without being selected keep theirs first.
  const sorted = [...studies].sort((a, b) => Number(a.doubt !== null) - Number(b.doubt !== null));
  const separate = sorted.map((study) => {
    const { file, slug } = study;
    const first = taken.get(slug);
    const own = first === undefined ? slug : freeSlug(slug, new Set(taken.keys()));
    taken.set(own, file);
    if (first === undefined) return study;
    const message = `has the same slug as ${first}, ${slug}, so it becomes ${own}`;
    problems.push({ level: "warning", file, line: null, field: "slug", message });
    return { ...study, slug: own };
  });
  return { studies: separate, problems };
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

/** A smaller version of an image next to it, such as cover-sm.webp or cover-p-500.jpg. */
const resized =
  /[-_@](?:sm|md|lg|small|medium|large|thumb(?:nail)?|p-\d+|\d+w|\d+x(?:\d+)?|[23]x)$/i;

function isResized(path: string, { files }: Folder): boolean {
  const end = path.lastIndexOf(".");
  const stem = path.slice(0, end);
  return resized.test(stem) && files.has(stem.replace(resized, "") + path.slice(end));
}

/** The images of each study's own folder, which is the nearest parent folder of a study. */
function imagesBeside(folder: Folder, files: readonly StudyFile[]): Map<string, string[]> {
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

/** If there are only blog entries, those marked as projects are the studies. */
function weighEntries(studies: readonly Study[]): Study[] {
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
  const illustrated = weighed.map((study) => {
    const images = listed.images.get(study.file) ?? [];
    return images.length > 0 && imagesOf([study]).length === 0
      ? { ...study, gallery: images }
      : study;
  });
  return { ...listed, studies: acceptLoose([...illustrated, ...listed.studies]) };
}

/**
 * If nothing else is a study, texts with front matter and images in the same folder are, such as
 * those in src/data/.
 */
function acceptLoose(studies: Study[]): Study[] {
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
