import type { Problem } from "../problem.ts";
import type { Folder } from "./folder.ts";

/** A case study's file, and the name that it gives it. */
export interface StudyFile {
  path: string;
  /** Of the file, or of its folder for an index. */
  stem: string;
  /** The day in a name as Jekyll has it, such as 2026-05-04-name.md. */
  date: string | null;
}

export interface FoundStudies {
  studies: StudyFile[];
  /** A résumé beside them. */
  resume: string | null;
  notes: Problem[];
}

const markdown = /\.(?:md|markdown)$/i;
/** What stands in a folder for whoever opens it, and is no study. */
const ignoredNames =
  /^(?:readme|license|licence|changelog|contributing|code_of_conduct|_index|index)\./i;
/** Where an export, and other generators, keep the studies. */
const studyFolders = ["projects", "content/projects", "src/content/projects", "_projects"];

function studyFolderOf(files: readonly string[]): string {
  const home = studyFolders.find((name) =>
    files.some((path) => path.startsWith(`${name}/`) && markdown.test(path)),
  );
  return home === undefined ? "" : `${home}/`;
}

function named(path: string, name: string): StudyFile {
  const dated = /^(\d{4}-\d{2}-\d{2})-(.+)$/.exec(name);
  return { path, stem: dated?.[2] ?? name, date: dated?.[1] ?? null };
}

/** The study that a file is, or why it is none. */
function studyOf(path: string, below: string): StudyFile | { why: string } {
  const [first = "", second, ...deeper] = below.split("/");
  if (second === undefined) {
    return ignoredNames.test(first)
      ? { why: "is no case study by its name" }
      : named(path, first.replace(markdown, ""));
  }
  if (deeper.length > 0) return { why: "lies too deep: studies are name.md or name/index.md" };
  if (/^index\.(?:md|markdown)$/i.test(second)) return named(path, first);
  return { why: "is beside an index.md or in a folder without one" };
}

/**
 * Tells which files of a folder are case studies: `name.md` and `name/index.md`, in a folder called
 * `projects` where there is one, else at the top. The others are named.
 */
export function findStudies({ files, others }: Folder): FoundStudies {
  const paths = [...files.keys()].toSorted();
  const home = studyFolderOf(paths);
  const found: FoundStudies = { studies: [], resume: null, notes: [] };
  const note = (file: string, message: string, level: Problem["level"] = "note") =>
    found.notes.push({ level, file, line: null, field: null, message });
  for (const path of paths) {
    if (path === "resume.json") found.resume = path;
    // The site's own files in an export.
    if (home === "projects/" && path.startsWith("site/")) continue;
    if (/\.mdx$/i.test(path))
      note(path, "is MDX, which is a program: save it as Markdown", "warning");
    if (!markdown.test(path)) continue;
    if (!path.startsWith(home)) {
      note(path, `is not in ${home}, where the case studies are`);
      continue;
    }
    const study = studyOf(path, path.slice(home.length));
    if ("why" in study) note(path, study.why);
    else found.studies.push(study);
  }
  for (const path of others) {
    if (markdown.test(path)) note(path, "is a link or no regular file: left out", "warning");
  }
  return found;
}
