import { foreignFolder, isStudyName, plain, roleOf } from "./file-roles.ts";
import type { Folder } from "./folder.ts";
import type { SiteLayout } from "./generator.ts";
import { chooseLanguage, localizePath } from "./languages.ts";

/** A data file that may contain projects. */
export interface DataFile {
  path: string;
  /**
   * `list`: its name says that it lists projects. `entry`: it is one of a folder of them. `other`: it
   * holds a site's data, among which projects may be.
   */
  kind: "list" | "entry" | "other";
}

const data = /\.(?:json|ya?ml|toml)$/i;
const program = /\.(?:[cm]?[jt]s|[jt]sx)$/i;
/** Larger files are generated. */
export const maxDataBytes = 256 * 1024;
const maxDataFiles = 200;
/** In total; parsing a few megabytes takes seconds. */
const maxTotalBytes = 8 * 1024 * 1024;

const setOf = (words: string) => new Set(words.split(" "));
/** Folders in which sites keep data files. */
const dataFolders = setOf("data content constants constant config lib utils store src");
const dataNames = setOf(
  "data index site content constants portfolio config main siteconfig info hugo",
);
/** Folders of programs, even if a file is named like a list. */
const programFolders = setOf("pages app api routes types models hooks schemas schema styles");
const foreignNames =
  /^(?:package|package-lock|tsconfig|jsconfig|composer|manifest|vercel|netlify|renovate|deno|bun|knip|biome)\b|\.(?:config|test|spec|stories|d|schema|11tydata)\.|^\.|lock\.(?:json|ya?ml)$/i;

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** The name of a list without a suffix such as in projectsData, project-list, works.data. */
function listName(name: string): string {
  return name
    .replace(/\.[^.]+$/, "")
    .replace(/[-_.]?(?:data|list|items|content|info|json|index)$/i, "");
}

/** The kind of a data file, by its path below the generator's folder; null for other files. */
function kindOf(path: string): DataFile["kind"] | null {
  const name = nameOf(path);
  const isProgram = program.test(name);
  if (!isProgram && !data.test(name)) return null;
  const { neutral } = localizePath(path);
  const folders = neutral.split("/").slice(0, -1);
  if (foreignNames.test(name) || foreignFolder(folders) !== null) return null;
  const isList = isStudyName(listName(nameOf(neutral)));
  if (isList && !folders.some((each) => programFolders.has(plain(each)))) return "list";
  if (!isProgram && roleOf(path).role === "study") return "entry";
  const parent = plain(folders.at(-1) ?? "");
  const isData = dataNames.has(plain(name.replace(/\.[^.]+$/, ""))) || parent === "data";
  return isData && (folders.length === 0 || dataFolders.has(parent)) ? "other" : null;
}

/** The data files that may contain projects, each in one language: the site's own if known. */
export function findDataFiles(
  { files }: Pick<Folder, "files">,
  { base }: Pick<SiteLayout, "base">,
  configured: string | null,
): DataFile[] {
  const found: (DataFile & { language: string | null; neutral: string })[] = [];
  const paths = [...files.keys()].toSorted();
  // An export has all projects as text files; its data files belong to the site.
  const isExport =
    files.has("changelog.json") && paths.some((path) => path.startsWith("projects/"));
  for (const path of isExport ? [] : paths) {
    if (!path.startsWith(base) || (files.get(path) ?? 0) > maxDataBytes) continue;
    const below = path.slice(base.length);
    const kind = below === "resume.json" ? null : kindOf(below);
    if (kind !== null) found.push({ path, kind, ...localizePath(below) });
  }
  const language = chooseLanguage(
    found.map((each) => each.language),
    configured,
  );
  const rank = (each: { language: string | null }) =>
    each.language === language ? 0 : each.language === null ? 1 : 2;
  const groups = Map.groupBy(found, ({ neutral }) => neutral);
  const chosen = [...groups.values()].flatMap((group) =>
    group.toSorted((a, b) => rank(a) - rank(b)).slice(0, 1),
  );
  // Files named like a list of projects come first.
  const ordered = chosen.toSorted((a, b) => +(a.kind === "other") - +(b.kind === "other"));
  let total = 0;
  return ordered.slice(0, maxDataFiles).flatMap(({ path, kind }) => {
    total += files.get(path) ?? 0;
    return total <= maxTotalBytes ? [{ path, kind }] : [];
  });
}
