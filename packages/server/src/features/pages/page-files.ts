import { parseJson } from "../../kit/json.ts";
import { sha256Hex } from "../../kit/hash.ts";
import type { Jail } from "../agent/tools/jail.ts";
import { ToolRefusal } from "../agent/tools/refusal.ts";
import type { ContentPage } from "./schema.ts";

export const contentFolder = "app/src/content";
export const siteFile = `${contentFolder}/site.json`;
/** The share images by page path; this file isn't any page's content. */
export const shareFile = `${contentFolder}/share.json`;
const pagesFolder = "app/src/pages";
const partsFile = "app/src/lib/parts.ts";
const maxFiles = 100;
const maxFileBytes = 256 * 1024;

export type Content = Record<string, unknown>;

/** A content file's current state. `content` is null if it isn't a JSON object. */
export interface ContentFile {
  file: string;
  text: string;
  hash: string;
  content: Content | null;
}

/** A file with its text before and after a change; null after it is removed. */
export interface ChangedFile {
  path: string;
  before: string;
  after: string | null;
}

/** Whether a value is an object of named values. */
export const isContent = (value: unknown): value is Content =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseContent(text: string): Content | null {
  try {
    const value = parseJson(text);
    return isContent(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether this may be the path of a content file. */
export function isContentFile(file: string): boolean {
  return /^app\/src\/content\/[\w-]{1,80}\.json$/.test(file);
}

/** One content file; undefined if it doesn't exist or can't be read. */
export async function readContentFile(jail: Jail, file: string): Promise<ContentFile | undefined> {
  try {
    if (!isContentFile(file) || !(await jail.exists(file))) return undefined;
    const text = await jail.readText(file);
    const fits = Buffer.byteLength(text) <= maxFileBytes;
    return { file, text, hash: sha256Hex(text), content: fits ? parseContent(text) : null };
  } catch (error) {
    if (error instanceof ToolRefusal) return undefined;
    throw error;
  }
}

const special: Readonly<Record<string, string>> = { index: "home", "404": "not-found" };

/** The page that shows a content file: its address and source, from the content's name. */
export async function listRoutes(
  jail: Jail,
): Promise<Map<string, { path: string; source: string }>> {
  const routes = new Map<string, { path: string; source: string }>();
  if (!(await jail.exists(pagesFolder))) return routes;
  for (const source of await jail.files(pagesFolder)) {
    if (!source.endsWith(".astro") || source.includes("[")) continue;
    const route = source.slice(pagesFolder.length + 1, -".astro".length).replace(/\/index$/, "");
    const path = route === "index" ? "/" : `/${route}/`;
    const last = route.slice(route.lastIndexOf("/") + 1);
    const name = special[route] ?? last;
    if (!routes.has(name)) routes.set(name, { path, source });
  }
  return routes;
}

/** The addresses that the site's content hides. */
export function hiddenPaths(site: Content | null): string[] {
  const hidden = site?.["hidden"];
  return Array.isArray(hidden) ? hidden.filter((path) => typeof path === "string") : [];
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Whether the site's source supports hidden pages and removes links to them. */
export async function canHidePages(jail: Jail): Promise<boolean> {
  if (!(await jail.exists(partsFile))) return false;
  return (await jail.readText(partsFile)).includes("hiddenPages");
}

const undeletable: Readonly<Record<string, string>> = {
  "/": "Every site needs a home page.",
  "/404/": "Visitors see it at addresses that don’t exist.",
  "/account/": "People sign in here.",
  "/projects/": "It lists your projects.",
  "/search/": "The search button of every page leads here.",
};

/** Why the page at this address can't be deleted; null if it can. */
function undeletableReason(path: string | undefined): string | null {
  if (path === undefined) return "No page of its own shows these words.";
  return undeletable[path] ?? null;
}

/** The site's content files, each with its page. */
export async function listPages(jail: Jail): Promise<ContentPage[]> {
  if (!(await jail.exists(contentFolder))) return [];
  const site = await readContentFile(jail, siteFile);
  const hidden = new Set(hiddenPaths(site?.content ?? null));
  const [routes, canHide] = [await listRoutes(jail), await canHidePages(jail)];
  const paths = new Set([...routes.values()].map(({ path }) => path));
  // What a deleted page leaves for other sources has no texts.
  const deleted = new Set(
    [...hidden].filter((path) => !paths.has(path)).map((path) => path.split("/").at(-2)),
  );
  const pages: ContentPage[] = [];
  for (const { path: file } of (await jail.list(contentFolder)).slice(0, maxFiles)) {
    if (!isContentFile(file) || file === shareFile) continue;
    const found = await readContentFile(jail, file);
    const name = file.slice(contentFolder.length + 1, -".json".length);
    const route = routes.get(name);
    if (route === undefined && deleted.has(name)) continue;
    const checks = route !== undefined && (await jail.readText(route.source)).includes("isBuilt(");
    pages.push({
      file,
      path: route?.path ?? null,
      title: textOf(found?.content?.["title"]) || name,
      description: textOf(found?.content?.["description"]),
      isReadable: found !== undefined && found.content !== null,
      isHidden: route !== undefined && hidden.has(route.path),
      undeletableReason: undeletableReason(route?.path),
      canHide: canHide && checks && route?.path !== "/",
    });
  }
  return pages;
}
