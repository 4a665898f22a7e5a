import { AppError } from "../../kit/errors.ts";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Jail } from "../agent/tools/jail.ts";
import { listPublished } from "../projects/store.ts";
import { editJson } from "./json-edit.ts";
import {
  canHidePages,
  type ChangedFile,
  type Content,
  type ContentFile,
  contentFolder,
  hiddenPaths,
  isContent,
  isContentFile,
  listPages,
  listRoutes,
  readContentFile,
  readPageFile,
  shareFile,
  siteFile,
} from "./page-files.ts";
import type { DeletionPlan } from "./schema.ts";

const sourceFolder = "app/src";
const sourceFile = /\.(?:astro|[cm]?[jt]sx?|md|mdx)$/;
const maxSources = 2000;

interface Source {
  path: string;
  text: string;
}

async function readSources(site: Jail): Promise<Source[]> {
  const paths = (await site.files(sourceFolder, maxSources)).filter((path) =>
    sourceFile.test(path),
  );
  return Promise.all(paths.map(async (path) => ({ path, text: await site.readText(path) })));
}

/** The page's source, and those below its address that have no content file of their own. */
function ownSources(source: string, sources: readonly Source[], others: ReadonlySet<string>) {
  const folder = source.replace(/(?:\/index)?\.astro$/, "/");
  const below = sources.map(({ path }) => path).filter((path) => path.startsWith(folder));
  return new Set([source, ...below.filter((path) => !others.has(path))]);
}

/** Whether an `<a>` in a page's source, or a link in Markdown, contains the address literally. */
function linksTo({ path: file, text }: Source, path: string): boolean {
  if (!file.endsWith(".astro")) return text.includes(`](${path}`);
  for (const link of [`href="${path}"`, `href='${path}'`]) {
    for (let at = text.indexOf(link); at !== -1; at = text.indexOf(link, at + 1)) {
      if (/^<a\s/.test(text.slice(text.lastIndexOf("<", at), at))) return true;
    }
  }
  return false;
}

/** An entry that is only a link, like those of the navigation. */
function isLinkTo(value: unknown, path: string): boolean {
  if (!isContent(value) || value["href"] !== path) return false;
  return Object.keys(value).every((key) => key === "href" || key === "label");
}

/** The content without list entries that link to this address. */
function withoutLinks(value: unknown, path: string): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => !isLinkTo(item, path)).map((item) => withoutLinks(item, path));
  }
  if (!isContent(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutLinks(member, path)]);
  return Object.fromEntries(members) as Content;
}

/** The content without its texts. The owner's details stay, because other pages show them. */
function emptied(value: unknown): unknown {
  if (typeof value === "string") return "";
  if (Array.isArray(value)) return [];
  if (!isContent(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [
    key,
    key === "basics" ? member : emptied(member),
  ]);
  return Object.fromEntries(members) as Content;
}

/** The site's files with changes that aren't written yet; null for a deleted file. */
type Texts = Map<string, ChangedFile>;

function put(texts: Texts, path: string, before: string, after: string | null): void {
  const first = texts.get(path)?.before ?? before;
  if (first === after) texts.delete(path);
  else texts.set(path, { path, before: first, after });
}

/**
 * Removes links to the page from all content; returns the files that had some, and those that still
 * mention it.
 */
async function removeLinks(
  { site, texts }: { site: Jail; texts: Texts },
  path: string,
  canHide: boolean,
): Promise<{ edited: string[]; naming: string[] }> {
  const edited: string[] = [];
  const naming: string[] = [];
  for (const { path: file } of await site.list(contentFolder)) {
    if (!isContentFile(file) || texts.get(file)?.after === null) continue;
    const found = await readContentFile(site, file);
    if (!found?.content) continue;
    const text = texts.get(file)?.after ?? found.text;
    const content = parseJson(text) as Content;
    const next = withoutLinks(content, path) as Content;
    if (file === shareFile && path in next) next[path] = undefined;
    const hasLinks = JSON.stringify(next) !== JSON.stringify(content);
    if (hasLinks) edited.push(file);
    if (JSON.stringify(next).includes(`"${path}"`) && file !== siteFile) naming.push(file);
    if (file === siteFile && canHide) {
      next["hidden"] = [...new Set([...hiddenPaths(next), path])];
    }
    put(texts, file, found.text, editJson(text, next));
  }
  return { edited, naming };
}

async function findDeletable(site: Jail, file: string) {
  const [page, found] = [
    (await listPages(site)).find((one) => one.file === file),
    await readPageFile(site, file),
  ];
  const route = (await listRoutes(site)).find(({ path }) => path === page?.path);
  if (page === undefined || found === undefined) {
    throw new AppError("not_found", `The site has no page with the file ${file}.`);
  }
  if (page.undeletableReason !== null || route === undefined) {
    const reason = page.undeletableReason ?? "This text isn’t shown on a page of its own.";
    throw new AppError("validation_failed", `“${page.title}” can’t be deleted. ${reason}`);
  }
  return { page, found, route };
}

/**
 * Removes a page's content file, or its texts if other sources read it; returns these sources.
 */
function removeContent(texts: Texts, found: ContentFile, left: readonly Source[]): Source[] {
  const name = found.file.slice(contentFolder.length + 1);
  const readers = left.filter(({ text }) =>
    ['"', "'"].some((quote) => text.includes(`/content/${name}${quote}`)),
  );
  const isEmptied = readers.length > 0 && found.content !== null;
  const after = isEmptied ? editJson(found.text, emptied(found.content)) : null;
  if (readers.length === 0 || isEmptied) put(texts, found.file, found.text, after);
  return readers;
}

/**
 * Deletes a page in these texts; nothing is written. Its source and what is below its address go, and
 * its content file, unless other sources read it: then it loses its words. Links to it in lists of
 * links go, and where the site can hide pages, its address stays hidden, so that links which the source
 * makes aren't shown. Throws `not_found`, and `validation_failed` for a page that every site needs.
 */
export async function deletePage(
  { db, site, texts }: { db: Db; site: Jail; texts: Texts },
  file: string,
): Promise<DeletionPlan> {
  const { page, found, route } = await findDeletable(site, file);
  const { path, source } = route;
  const pages = await listPages(site);
  const kept = (await listRoutes(site)).filter((other) =>
    pages.some((one) => one.hasContent && one.file !== file && one.path === other.path),
  );
  const all = await readSources(site);
  const sources = all.filter((one) => texts.get(one.path)?.after !== null);
  const own = ownSources(source, sources, new Set(kept.map((other) => other.source)));
  const left = sources.filter((one) => !own.has(one.path));
  for (const one of sources) if (own.has(one.path)) put(texts, one.path, one.text, null);
  const readers = page.hasContent ? removeContent(texts, found, left) : [];
  const { edited, naming } = await removeLinks({ site, texts }, path, await canHidePages(site));
  const projects = (await listPublished(db)).filter(({ body }) => body.includes(`](${path}`));
  return {
    file,
    hash: found.hash,
    path,
    removed: [...own, ...(page.hasContent && readers.length === 0 ? [file] : [])],
    emptied: readers.length === 0 ? null : { file, readBy: readers.map((one) => one.path) },
    unlinked: edited,
    remaining: [
      ...naming,
      ...left.filter((one) => linksTo(one, path)).map((one) => one.path),
      ...projects.map((project) => `the project “${project.name}”`),
    ],
  };
}
