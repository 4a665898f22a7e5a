import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "../../../platform/db/connect.ts";
import { projectFields } from "../../projects/project.ts";
import { isStudyName } from "../folder/file-roles.ts";
import type { Problem } from "../problem.ts";
import type { Source } from "./source.ts";
import { type BodyPiece, isPageLink, joinBody, maxAddressLength } from "../study/body.ts";
import { listAll } from "../../projects/store.ts";
import type { Study } from "../study/study.ts";

/** How many parts of a path, from its end, are compared at most. */
const maxParts = 8;

/** The parts of an address or a path, without what generators and servers write differently. */
function partsOf(address: string): string[] {
  const path = address.replace(/[?#].*$/, "");
  let text = path;
  try {
    text = decodeURIComponent(path);
  } catch {
    // As it is written.
  }
  const parts: string[] = [];
  for (const part of text.normalize("NFC").toLowerCase().split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part.replace(/^_(?=.)/, ""));
  }
  const last = parts.pop()?.replace(/\.(?:md|markdown|mdown|mkd|mdx|html?|njk|liquid)$/, "");
  return last === undefined || last === "index" ? parts : [...parts, last];
}

/** The ends of paths by which other texts may call a study; null for one that several have. */
type Index = Map<string, Study | null>;

function indexOf(studies: readonly Study[]): Index {
  const index: Index = new Map();
  for (const study of studies) {
    const own = study.file.includes("#") ? [] : [study.file];
    const ends = new Set<string>();
    for (const address of [...own, ...study.addresses, ...study.shortNames, study.slug]) {
      const parts = partsOf(address).slice(-maxParts);
      for (let from = 0; from < parts.length; from += 1) ends.add(parts.slice(from).join("/"));
    }
    for (const end of ends) index.set(end, index.has(end) ? null : study);
  }
  return index;
}

/** Whether a name may stand above a study in an address: a collection, a language, or a date. */
function isAbove(part: string, { file }: Study): boolean {
  const folders = partsOf(file).slice(0, -1);
  return isStudyName(part) || /^(?:[a-z]{2}|\d{1,4})$/.test(part) || folders.includes(part);
}

function findByParts(index: Index, parts: readonly string[]): Study | null {
  for (let length = Math.min(parts.length, maxParts); length > 0; length -= 1) {
    const study = index.get(parts.slice(-length).join("/"));
    if (!study) continue;
    const above = parts.slice(0, -length);
    // A name alone may be that of anything, such as a tag.
    return length > 1 || above.every((part) => isAbove(part, study)) ? study : null;
  }
  return null;
}

function findStudy(index: Index, address: string, file: string): Study | null {
  if (address.startsWith("/")) return findByParts(index, partsOf(address));
  const folder = file.replace(/[^/]*$/, "");
  // Beside the file, beside its page, or from the top, as generators resolve their own tags.
  const bases = [folder, `${folder}x/`, ""];
  for (const base of bases) {
    const found = findByParts(index, partsOf(`${base}${address}`));
    if (found !== null) return found;
  }
  return null;
}

interface LinkStudiesResult {
  studies: Study[];
  problems: Problem[];
}

/**
 * Makes links between studies lead to their projects. Those that lead to no page of the site become
 * their words, which is reported. `isPage` says whether the site has a page at an address.
 */
export function linkStudies(
  studies: readonly Study[],
  isPage: (address: string) => boolean,
): LinkStudiesResult {
  const index = indexOf(studies);
  const problems: Problem[] = [];
  const targetOf = (address: string, file: string): string | null => {
    const study = findStudy(index, address, file);
    if (study !== null) return `/projects/${study.slug}/`;
    return address.startsWith("/") && isPage(address) ? address : null;
  };
  const linked = studies.map((study) => {
    if (!study.body.some(isPageLink)) return study;
    const link = (find: typeof targetOf): BodyPiece[] =>
      study.body.map((piece) => {
        if (!isPageLink(piece)) return piece;
        const target = find(piece.address, piece.file);
        if (target === null) return "";
        return piece.part === "open" ? "[" : `](${target})`;
      });
    let find = targetOf;
    let body = link(find);
    const longest = joinBody(body, () => "x".repeat(maxAddressLength));
    if (!projectFields.body.safeParse(longest).success) {
      find = () => null;
      body = link(find);
    }
    for (const piece of study.body) {
      if (!isPageLink(piece) || piece.part !== "open") continue;
      const { address, file, line } = piece;
      if (find(address, file) !== null) continue;
      const message = `the link to ${address} doesn't lead to a page of the site`;
      problems.push({ level: "warning", file, line, field: null, message });
    }
    return { ...study, body };
  });
  return { studies: linked, problems };
}

/** The addresses of the pages that the site in `content` has, other than projects, without slashes at the ends. */
async function readPages(content: string): Promise<Set<string>> {
  const options = { recursive: true } as const;
  const files = await readdir(join(content, "app", "src", "pages"), options).catch(() => []);
  const pages = files.flatMap((file) => {
    const [, name] = /^([^[\]]+)\.(?:astro|mdx?|ts)$/.exec(file.replaceAll("\\", "/")) ?? [];
    return name === undefined ? [] : [name.replace(/(?:^|\/)index$/, "")];
  });
  return new Set(pages);
}

export interface LinkSourceDependencies {
  db: Db;
  /** The folder of the site's own files. */
  content: string;
}

/** What is imported, with its links between studies leading to their projects. */
export async function linkSource(
  { db, content }: LinkSourceDependencies,
  source: Source,
): Promise<Source> {
  const pages = await readPages(content);
  for (const { slug } of await listAll(db)) pages.add(`projects/${slug}`);
  const isPage = (address: string) =>
    pages.has(address.replace(/[?#].*$/, "").replace(/^\/|\/$/g, ""));
  const { studies, problems } = linkStudies(source.studies, isPage);
  return { ...source, studies, problems: [...source.problems, ...problems] };
}
