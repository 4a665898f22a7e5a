import type { Skipped } from "../problem.ts";
import { isText, roleOf } from "./file-roles.ts";
import type { Folder } from "./folder.ts";
import { detectGenerator, type SiteLayout } from "./generator.ts";
import { chooseLanguage, localizePath } from "./languages.ts";

/** A case study's file and the name derived from it. */
export interface StudyFile {
  path: string;
  /** The name of the file, or of its folder for an index. */
  stem: string;
  /** The date in a Jekyll-style name, such as 2026-05-04-name.md. */
  date: string | null;
  /** Why it may not be a case study; null if it certainly is one. */
  doubt: string | null;
  /**
   * Whether it is in a collection that may contain something else, so that its front matter
   * decides.
   */
  isEntry: boolean;
  /** Whether its folder marks it as a draft. */
  isDraft: boolean;
  /** The folder whose images belong only to it, with a trailing `/`; null if there is none. */
  bundle: string | null;
  /** Files with further parts of its text, in order. */
  sections: string[];
}

export interface FoundStudies {
  layout: SiteLayout;
  studies: StudyFile[];
  /** A résumé next to them. */
  resume: string | null;
  skipped: Skipped[];
}

interface Candidate extends StudyFile {
  collection: string;
  isStudy: boolean;
  what: string;
  language: string | null;
  /** The same for all languages of one study. */
  neutral: string;
}

/** The doubt of texts that nothing but their front matter could identify. */
export const looseDoubt = "it isn't in a folder of case studies";

const indexName = /^_?index(?=\.|$)/i;
const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);
const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
const stemOf = (name: string) => name.replace(/\.[^.]+$/, "");

function splitDate(name: string): { stem: string; date: string | null } {
  const dated = /^(\d{4}-\d{2}-\d{2})[-_](.+)$/.exec(name);
  return { stem: dated?.[2] ?? name, date: dated?.[1] ?? null };
}

/** Information about folders that a path alone doesn't have. */
interface FolderContext {
  base: string;
  /** Folders with their own index, by their path without a language. */
  bundles: ReadonlySet<string>;
  /** Folders in which `_index.md` is the only text. */
  lonely: ReadonlySet<string>;
  isPlain: boolean;
}

function bundlesOf(paths: readonly string[]): Pick<FolderContext, "bundles" | "lonely"> {
  const bundles = new Set<string>();
  const counts = new Map<string, number>();
  for (const path of paths) {
    const { neutral } = localizePath(path);
    if (/^index\./i.test(nameOf(neutral))) bundles.add(folderOf(neutral));
    // Count it for every parent folder.
    for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder.slice(0, -1))) {
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  const lists = paths.filter((path) => /^_index\./i.test(nameOf(path))).map(folderOf);
  return { bundles, lonely: new Set(lists.filter((folder) => counts.get(folder) === 1)) };
}

/** The role of a file in a folder without a generator or a folder of studies. */
function plainRole(below: string): ReturnType<typeof roleOf> {
  const role = roleOf(below);
  if (role.role === "none") return role;
  const depth = localizePath(below).neutral.split("/").length;
  const isStudy = depth === 1 || (depth === 2 && indexName.test(nameOf(below)));
  return isStudy && role.role === "entry" && role.what === ""
    ? { role: "study", collection: "" }
    : role;
}

/** A part of a study's text in a file of its own. */
interface Section {
  path: string;
  /** The study's folder, without a language. */
  of: string;
  language: string | null;
}

const isNumbered = (name: string) => /^\d{1,3}[-_. ]/.test(name);

/**
 * The folder of the study that a text is a part of: the text, or a folder between them, is numbered,
 * such as work/boats/01-research/index.md next to work/boats/index.md. Null for other texts.
 */
function sectionFolder(
  neutral: string,
  collectionFolder: string,
  bundles: ReadonlySet<string>,
): string | null {
  const inside = neutral.slice(collectionFolder.length).split("/");
  for (let depth = 1; depth < inside.length; depth += 1) {
    const folder = `${collectionFolder}${inside.slice(0, depth).join("/")}/`;
    if (!bundles.has(folder)) continue;
    return inside.slice(depth).some(isNumbered) ? folder : null;
  }
  return null;
}

function candidateOf(path: string, around: FolderContext): Candidate | Skipped | Section {
  const skip = (reason: string): Skipped => ({ file: path, reason });
  const below = path.startsWith(around.base) ? path.slice(around.base.length) : path;
  const role = around.isPlain ? plainRole(below) : roleOf(below);
  if (role.role === "none") return skip(role.reason);
  const { neutral, language } = localizePath(below);
  const isTop = !neutral.includes("/");
  if (!around.isPlain && isTop) return skip("is beside the site’s configuration");
  const name = nameOf(neutral);
  const folder = folderOf(neutral);
  const isIndex = indexName.test(name);
  const collectionFolder = role.collection === "" ? "" : `${role.collection}/`;
  if (/^_index\./i.test(name) && !around.lonely.has(folderOf(below))) {
    return skip("is the page that lists the others");
  }
  if (isTop && isIndex) return skip("is the page that lists the others");
  const isLoose = role.role === "entry" && role.what === "";
  if (!around.isPlain && isLoose && isIndex && neutral.split("/").length < 3) {
    return skip("is named like a page");
  }
  const section =
    role.role === "study" ? sectionFolder(neutral, collectionFolder, around.bundles) : null;
  if (section !== null) return { path, of: around.base + section, language };
  const insideBundle = !isIndex && folder !== collectionFolder && around.bundles.has(folder);
  if (insideBundle) return skip("is beside an index file, which is the case study");
  const own = isIndex ? nameOf(folder.slice(0, -1)) : stemOf(name);
  const hidden = own.startsWith("_") && !isIndex;
  const doubt = hidden
    ? "its name begins with _, and its generator skips such files"
    : isLoose
      ? looseDoubt
      : null;
  return {
    path,
    ...splitDate(own.replace(/^_+/, "")),
    doubt,
    isEntry: role.role === "entry",
    isDraft: /(?:^|\/)_?drafts?\//i.test(folder),
    bundle: isIndex ? folderOf(path) : null,
    sections: [],
    collection: role.collection,
    isStudy: role.role === "study",
    what: role.role === "entry" ? role.what : "",
    language,
    neutral: around.base + neutral,
  };
}

/**
 * One language for each study; studies that exist only in other languages are possible projects.
 */
function chooseLanguages(
  candidates: readonly Candidate[],
  configured: string | null,
): { chosen: Candidate[]; skipped: Skipped[] } {
  const language = chooseLanguage(
    candidates.map((each) => each.language),
    configured,
  );
  const rank = (each: Candidate) =>
    each.language === language ? 0 : each.language === null ? 1 : 2;
  const chosen: Candidate[] = [];
  const skipped: Skipped[] = [];
  const groups = Map.groupBy(candidates, ({ neutral }) => stemOf(neutral));
  for (const group of groups.values()) {
    const [first, ...others] = group.toSorted((a, b) => rank(a) - rank(b));
    if (first === undefined) continue;
    const isOther = rank(first) === 2 && language !== null;
    const doubt = isOther ? `it is only in another language (${first.language})` : first.doubt;
    chosen.push({ ...first, doubt });
    for (const other of others) {
      const reason =
        other.language === first.language || other.language === null
          ? `has the same name as ${first.path}`
          : `is ${first.path} in another language (${other.language})`;
      skipped.push({ file: other.path, reason });
    }
  }
  return { chosen, skipped };
}

/**
 * Posts next to case studies are possible projects; if there is nothing else, they are the case
 * studies.
 */
function weigh(candidates: readonly Candidate[]): Candidate[] {
  const hasStudies = candidates.some(({ isStudy }) => isStudy);
  const hasEntries = candidates.some(({ what }) => what === "an entry");
  return candidates.map((each) => {
    if (each.doubt !== null || each.isStudy) return each;
    const isLess = hasStudies || (hasEntries && each.what !== "an entry");
    return isLess ? { ...each, doubt: `it is ${each.what} in ${each.collection}/` } : each;
  });
}

/**
 * Tells which files of a folder are case studies: the entries of its folders of projects, wherever a
 * generator keeps them, else those of its other collections, else `name.md` and `name/index.md`. Each
 * study is taken in one language, the site's own (`configured`), where it is known. Those that may be
 * none have a `doubt`; the others are named with the reason.
 */
export function findStudies(
  { files, others }: Pick<Folder, "files" | "others">,
  configured: string | null = null,
): FoundStudies {
  const layout = detectGenerator({ files });
  const paths = [...files.keys()].filter(isText).toSorted();
  const skipped: Skipped[] = [];
  // The site's own files in an export.
  const isExport =
    paths.some((path) => path.startsWith("projects/")) && files.has("changelog.json");
  const relevant = paths.filter((path) => !(isExport && path.startsWith("site/")));
  const below = (path: string) =>
    path.startsWith(layout.base) ? path.slice(layout.base.length) : path;
  const isPlain =
    layout.generator === "none" && !relevant.some((path) => roleOf(below(path)).role === "study");
  const around = { base: layout.base, isPlain, ...bundlesOf(relevant.map(below)) };
  const candidates: Candidate[] = [];
  const sections: Section[] = [];
  for (const path of relevant) {
    const found = candidateOf(path, around);
    if ("reason" in found) skipped.push(found);
    else if ("of" in found) sections.push(found);
    else candidates.push(found);
  }
  const { chosen, skipped: translations } = chooseLanguages(candidates, configured);
  for (const path of others) {
    if (isText(path)) skipped.push({ file: path, reason: "is a link or not a regular file" });
  }
  const studies = weigh(chosen).map(
    ({ path, stem, date, doubt, isEntry, isDraft, bundle, neutral, language }): StudyFile => ({
      sections: sections
        .filter((each) => bundle !== null && each.of === folderOf(neutral))
        .filter((each) => each.language === language)
        .map((each) => each.path),
      path,
      stem,
      date,
      doubt,
      isEntry,
      isDraft,
      bundle,
    }),
  );
  const used = new Set(studies.flatMap((study) => study.sections));
  for (const { path, of } of sections) {
    if (!used.has(path))
      skipped.push({ file: path, reason: `is a part of ${of}, which isn't read` });
  }
  return {
    layout,
    studies,
    resume: files.has("resume.json") ? "resume.json" : null,
    skipped: [...skipped, ...translations],
  };
}
