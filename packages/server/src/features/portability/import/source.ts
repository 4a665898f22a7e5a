import { basename, dirname } from "node:path";
import { realpath, stat } from "node:fs/promises";
import { AppError } from "../../../kit/errors.ts";
import { type Folder, scanFolder, readBytes } from "../folder/folder.ts";
import { makeResolver, type Resolved } from "../folder/resolve.ts";
import { findStudies, type StudyFile } from "../folder/studies.ts";
import { readText } from "../folder/text-file.ts";
import type { Problem } from "../problem.ts";
import { readResume } from "../resume/json-resume.ts";
import { type ResumeWithPortrait, readPortrait } from "../resume/portrait.ts";
import { readStudy, type Study } from "../study/study.ts";

/** What there is to be imported, and what is wrong with it. */
export interface Source {
  folder: Folder;
  /** In the order in which they are to stand. */
  studies: Study[];
  resume: ({ file: string } & ResumeWithPortrait) | null;
  problems: Problem[];
}

/** The longest text that a study may be, in bytes. */
const maxStudyBytes = 1024 * 1024;
const maxStudies = 2000;

/** By the order that they say, then the latest first, then by name. */
function compare(a: Study, b: Study): number {
  const order = (study: Study) => study.order ?? Number.POSITIVE_INFINITY;
  if (order(a) !== order(b)) return order(a) - order(b);
  const [dateA, dateB] = [a.date ?? "", b.date ?? ""];
  if (dateA !== dateB) return dateA < dateB ? 1 : -1;
  return a.file < b.file ? -1 : 1;
}

function findDuplicateStudies(studies: readonly Study[]): Problem[] {
  const files = new Map<string, string>();
  return studies.flatMap(({ slug, file }): Problem[] => {
    const first = files.get(slug);
    files.set(slug, first ?? file);
    if (first === undefined) return [];
    const message = `has the slug ${slug} like ${first}: give one of them another slug`;
    return [{ level: "error", file, line: null, field: "slug", message }];
  });
}

type Resolver = ReturnType<typeof makeResolver>;

async function readStudyFile(folder: Folder, file: StudyFile, resolve: Resolver) {
  const size = folder.files.get(file.path) ?? 0;
  const fault = (message: string) => {
    const problem: Problem = { level: "error", file: file.path, line: null, field: null, message };
    return { study: null, problems: [problem] };
  };
  if (size > maxStudyBytes) return fault("is larger than 1 MiB");
  const text = readText(await readBytes(folder, file.path, maxStudyBytes));
  if ("fault" in text) return fault(text.fault);
  const from = dirname(file.path) === "." ? "" : dirname(file.path);
  return readStudy(file, text.text, (address) => resolve(address, from));
}

async function readStudies(folder: Folder, files: readonly StudyFile[], resolve: Resolver) {
  const studies: Study[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const read = await readStudyFile(folder, file, resolve);
    if (read.study !== null) studies.push(read.study);
    problems.push(...read.problems);
  }
  return {
    studies: studies.toSorted(compare),
    problems: [...problems, ...findDuplicateStudies(studies)],
  };
}

/** The images that studies, and a résumé, show, each once. */
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

async function readFolder(path: string): Promise<Source> {
  const folder = await scanFolder(path);
  const found = findStudies(folder);
  const problems = [...found.notes];
  const report = (message: string) =>
    problems.push({ level: "error", file: "", line: null, field: null, message });
  if (found.studies.length > maxStudies) {
    report(`holds ${found.studies.length} case studies: at most ${maxStudies} are taken at once`);
    return { folder, studies: [], resume: null, problems };
  }
  const resolve = makeResolver(folder);
  const { studies, problems: reported } = await readStudies(folder, found.studies, resolve);
  problems.push(...reported);
  const beside = (address: string) => resolve(address, "");
  const resume =
    found.resume === null ? null : await readResumeIn(folder, found.resume, problems, beside);
  if (found.studies.length === 0 && found.resume === null) {
    report("holds no case study (name.md or name/index.md) and no resume.json");
  }
  return { folder, studies, resume, problems };
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
 * Reads what is to be imported: a folder of case studies, with a `resume.json` or without, or a JSON
 * Resume alone. Throws `not_found`, `bad_request` for what is neither, `too_large`.
 */
export async function readSource(path: string): Promise<Source> {
  const info = await stat(path).catch((cause: unknown) => {
    throw new AppError("not_found", `Nothing was found at ${path}.`, { cause });
  });
  if (info.isDirectory()) return readFolder(path);
  if (!info.isFile() || !/\.json$/i.test(path)) {
    const message = "Name a JSON Resume (a .json file) or the folder of the case studies.";
    throw new AppError("bad_request", message);
  }
  const root = await realpath(dirname(path));
  const file = basename(path);
  const folder: Folder = { root, files: new Map([[file, info.size]]), others: new Set() };
  const problems: Problem[] = [];
  const resume = await readResumeIn(folder, file, problems, null);
  return { folder, studies: [], resume, problems };
}
