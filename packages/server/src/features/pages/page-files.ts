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

/** A page of the site: its address, its source, and the name of the content file that it shows. */
export interface Route {
  path: string;
  source: string;
  name: string;
}

/** The site's pages with an address of their own, which patterns such as `[slug]` don't have. */
export async function listRoutes(jail: Jail): Promise<Route[]> {
  if (!(await jail.exists(pagesFolder))) return [];
  const sources = (await jail.files(pagesFolder)).filter(
    (source) => source.endsWith(".astro") && !/(?:^|\/)_|\[/.test(source),
  );
  return sources.map((source) => {
    const route = source.slice(pagesFolder.length + 1, -".astro".length).replace(/\/index$/, "");
    const last = route.slice(route.lastIndexOf("/") + 1);
    return {
      path: route === "index" ? "/" : `/${route}/`,
      source,
      name: special[route] ?? last,
    };
  });
}

const maxTitleScan = 20_000;

/** What a source calls its page, where it says so literally; otherwise the end of its address. */
function titleIn(text: string, { path }: Route): string {
  const head = text.slice(0, maxTitleScan);
  const [, title = ""] = /<[A-Z]\w{0,50}\s[^<>]{0,500}?\btitle="([^"{}]{1,200})"/.exec(head) ?? [];
  if (title.trim() !== "") return title.trim();
  const words = (path.split("/").at(-2) ?? "").replaceAll(/[-_]+/g, " ").trim();
  return words === "" ? path : words.charAt(0).toUpperCase() + words.slice(1);
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
  "/contact/thanks/":
    "Visitors see it after they send a message. To remove it, delete the contact page.",
  "/projects/": "It lists your projects.",
  "/search/": "The search button of every page leads here.",
};

/** Why the page at this address can't be deleted; null if it can. */
function undeletableReason(path: string | undefined): string | null {
  if (path === undefined) return "This text isn’t shown on a page of its own.";
  return undeletable[path] ?? null;
}

interface Site {
  routes: readonly Route[];
  hidden: ReadonlySet<string>;
  canHide: boolean;
}

/** What can be done with the page at this route. */
async function routeParts(jail: Jail, { hidden, canHide }: Site, route: Route | undefined) {
  const checks = route !== undefined && (await jail.readText(route.source)).includes("isBuilt(");
  return {
    path: route?.path ?? null,
    isHidden: route !== undefined && hidden.has(route.path),
    undeletableReason: undeletableReason(route?.path),
    canHide: canHide && checks && route?.path !== "/",
  };
}

/** The content files, each with its page; `taken` gets the sources of these pages. */
async function listContentPages(jail: Jail, site: Site, taken: Set<string>) {
  const paths = new Set(site.routes.map(({ path }) => path));
  // What a deleted page leaves for other sources has no texts.
  const deleted = new Set(
    [...site.hidden].filter((path) => !paths.has(path)).map((path) => path.split("/").at(-2)),
  );
  const pages: ContentPage[] = [];
  for (const { path: file } of (await jail.list(contentFolder)).slice(0, maxFiles)) {
    if (!isContentFile(file) || file === shareFile) continue;
    const found = await readContentFile(jail, file);
    const name = file.slice(contentFolder.length + 1, -".json".length);
    const route = site.routes.find((one) => one.name === name);
    if (route === undefined && deleted.has(name)) continue;
    if (route) taken.add(route.source);
    pages.push({
      file,
      hasContent: true,
      title: textOf(found?.content?.["title"]) || name,
      description: textOf(found?.content?.["description"]),
      isReadable: found !== undefined && found.content !== null,
      ...(await routeParts(jail, site, route)),
    });
  }
  return pages;
}

/** The site's content files, each with its page, and the pages without one. */
export async function listPages(jail: Jail): Promise<ContentPage[]> {
  if (!(await jail.exists(contentFolder))) return [];
  const content = (await readContentFile(jail, siteFile))?.content ?? null;
  const site: Site = {
    routes: await listRoutes(jail),
    hidden: new Set(hiddenPaths(content)),
    canHide: await canHidePages(jail),
  };
  const taken = new Set<string>();
  const pages = await listContentPages(jail, site, taken);
  const others = site.routes.filter(({ source }) => !taken.has(source)).slice(0, maxFiles);
  for (const route of others) {
    pages.push({
      file: route.source,
      hasContent: false,
      title: titleIn(await jail.readText(route.source), route),
      description: "",
      isReadable: false,
      ...(await routeParts(jail, site, route)),
    });
  }
  return pages;
}

/** A page's file as it is now: its content file, or the source of a page without one. */
export async function readPageFile(jail: Jail, file: string): Promise<ContentFile | undefined> {
  const route = (await listRoutes(jail)).find(({ source }) => source === file);
  if (route === undefined) return readContentFile(jail, file);
  const text = await jail.readText(route.source);
  return { file, text, hash: sha256Hex(text), content: null };
}
