import { hash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import sitemap from "@astrojs/sitemap";
import type { AstroIntegration } from "astro";
import { makePageCleaner, type PageCleaner } from "../source-tags/page-cleaner.ts";
import {
  type CompiledApp,
  type CompiledPath,
  type CompiledSite,
  loadCompiledApp,
} from "./compiled-site.ts";
import type { KeptFiles } from "./kept-files.ts";
import { isListed, isUnlisted } from "./listed-pages.ts";
import {
  firstIndexed,
  isIndexFull,
  type SearchablePage,
  type SearchOptions,
  toSearchablePage,
  writeSearchIndex,
} from "./search-index.ts";
import { provideSiteData, type SiteDataOptions } from "./site-data.ts";

export interface RenderOptions extends SiteDataOptions {
  /** The folder with the compiled site. */
  compiled: string;
  outDir: string;
  cacheDir: string;
  baseUrl: string;
  /** Keeps live files instead of writing the same ones. */
  keptFiles: KeptFiles;
  /** How an index for searching is made; none unless told. */
  search?: SearchOptions;
}

/** The file of a path below the output; pages are folders, except for those of status codes. */
function outputFile({ pathname, route }: CompiledPath): string {
  const path = encodeURI(pathname).replace(/^\/+|\/+$/g, "");
  if (route.type === "endpoint") return path;
  if (path === "404" || path === "500") return `${path}.html`;
  return join(path, "index.html");
}

/** The address at which a page is rendered: pages end with a slash, files don't. */
function addressOf({ pathname, route }: CompiledPath, origin: string): URL {
  const path = pathname.replace(/^\/+|\/+$/g, "");
  const isFile = route.type === "endpoint" && /\.[^/]+$/.test(path);
  return new URL(path === "" ? "/" : `/${path}${isFile ? "" : "/"}`, origin);
}

/** Of several that want one place, the first has it. */
function withoutDuplicates(paths: CompiledPath[]): CompiledPath[] {
  const seen = new Set<string>();
  return paths.filter(({ pathname }) => {
    const key = pathname.replace(/\/+$/, "");
    return seen.has(key) ? false : seen.add(key);
  });
}

/** Astro answers in ways that this does not know; the whole build does. */
class NeedsAstro extends Error {}

async function renderPath(
  app: CompiledApp,
  path: CompiledPath,
  origin: string,
): Promise<Buffer | null> {
  const request = new Request(addressOf(path, origin));
  const response = await app.render(request, { routeData: path.route });
  if (response.status >= 300 && response.status < 400) throw new NeedsAstro("a page redirects");
  return response.body === null ? null : Buffer.from(await response.arrayBuffer());
}

interface AssetGlobals {
  astroAsset?: { staticImages?: Map<string, unknown> };
}

async function runHook(integration: AstroIntegration, hook: string, value: object): Promise<void> {
  const hooks = integration.hooks as Record<string, ((value: object) => unknown) | undefined>;
  await hooks[hook]?.(value);
}

/** The paths of what is in the site's folder of public files, which come before pages. */
function publicPaths(root: string): Set<string> {
  const folder = join(root, "public");
  return new Set(existsSync(folder) ? (readdirSync(folder, { recursive: true }) as string[]) : []);
}

/** Writes files below a folder: waiting for each of thousands takes longer than writing them. */
function makeWriter(outDir: string): (file: string, content: Uint8Array) => void {
  const made = new Set<string>();
  return (file, content) => {
    const folder = dirname(file);
    if (!made.has(folder)) mkdirSync(join(outDir, folder), { recursive: true });
    made.add(folder);
    writeFileSync(join(outDir, file), content);
  };
}

interface RenderedPages {
  /** The paths of all pages, with a slash at the end. */
  pages: string[];
  /** Of the pages that were written, whether a page may be listed; by path. */
  listed: Map<string, boolean>;
  /** The same pages for the search index, by file. */
  searchable: Map<string, SearchablePage | null>;
  /** The content of those that may be indexed and are kept instead of written. */
  unwritten: Map<string, Buffer>;
  /** How many are kept that the index won't have, since so many come before them. */
  notIndexed: number;
}

async function writePages(
  app: CompiledApp,
  options: RenderOptions,
  cleaner: PageCleaner | null,
): Promise<RenderedPages> {
  const { outDir, root, baseUrl } = options;
  const { origin } = new URL(baseUrl);
  const own = publicPaths(root);
  const write = makeWriter(outDir);
  const rendered: RenderedPages = {
    pages: [],
    listed: new Map(),
    searchable: new Map(),
    unwritten: new Map(),
    notIndexed: 0,
  };
  const paths = withoutDuplicates(await new app.bundle.StaticPaths(app).getAll());
  const mayBeIndexed = options.search ? firstIndexed(paths.map(outputFile)) : new Set<string>();
  for (const path of paths) {
    const name = path.pathname.replace(/^\/+|\/+$/g, "").concat("/");
    const isPage = path.route.type === "page";
    if (isPage) rendered.pages.push(name);
    const body = await renderPath(app, path, origin);
    const file = outputFile(path);
    if (body === null || own.has(file)) continue;
    const content = cleaner ? cleaner.clean(body) : body;
    const sha256 = hash("sha256", content, "hex");
    // Where the name of the file is another than the path, the others go by the file.
    const isUsual = !isPage || file === `${name}index.html`;
    // What page code has put there itself is replaced.
    const mayKeep = isUsual && !existsSync(join(outDir, file));
    const isKept = mayKeep && options.keptFiles.keepSame(file, sha256);
    if (!isKept) write(file, content);
    if (!isPage || !isUsual) continue;
    rendered.listed.set(`/${name}`, !isUnlisted(content.toString("latin1")));
    if (!mayBeIndexed.has(file)) {
      if (isKept) rendered.notIndexed += 1;
      continue;
    }
    const searchable = toSearchablePage(file, content, sha256);
    rendered.searchable.set(file, searchable);
    if (searchable !== null && isKept) rendered.unwritten.set(file, content);
  }
  return rendered;
}

async function writeSitemap(
  { outDir, baseUrl }: RenderOptions,
  { pages, listed }: RenderedPages,
): Promise<void> {
  const filter = (address: string) =>
    listed.get(decodeURIComponent(new URL(address).pathname)) ?? isListed(outDir, address);
  const integration = sitemap({ filter });
  const log = {
    info() {},
    warn() {},
    error: (text: string) => void process.stderr.write(`${text}\n`),
  };
  const config = {
    site: baseUrl,
    base: "/",
    trailingSlash: "always",
    build: { format: "directory" },
  };
  await runHook(integration, "astro:config:done", { config });
  await runHook(integration, "astro:routes:resolved", { routes: [] });
  const dir = new URL(`file://${outDir}/`);
  const named = pages.map((pathname) => ({ pathname }));
  await runHook(integration, "astro:build:done", { dir, pages: named, logger: log });
}

/**
 * Renders a site with code that was compiled earlier: the same bytes as Astro's whole build of it.
 * Throws where that can't be done, or the site is at fault: both are for Astro's build to deal with.
 */
export async function renderCompiled(options: RenderOptions): Promise<void> {
  const { compiled, outDir } = options;
  const site = JSON.parse(await readFile(join(compiled, "site.json"), "utf8")) as CompiledSite;
  provideSiteData(options);
  const client = join(compiled, "client");
  if (existsSync(client)) await cp(client, outDir, { recursive: true });
  const app = await loadCompiledApp(compiled, site);
  const cleaner = site.tags && makePageCleaner(site.tags);
  const rendered = await writePages(app, options, cleaner);
  const images = (globalThis as AssetGlobals).astroAsset?.staticImages;
  if (images !== undefined && images.size > 0) throw new NeedsAstro("images are to be converted");
  await writeSitemap(options, rendered);
  if (options.search) {
    const { searchable, unwritten, notIndexed } = rendered;
    if (notIndexed > 0 && !isIndexFull(searchable)) throw new NeedsAstro("more pages are indexed");
    await writeSearchIndex({ ...options, ...options.search, rendered: searchable, unwritten });
  }
  if (cleaner !== null && !(await cleaner.finish(outDir)))
    throw new NeedsAstro("page code has seen a tag");
}
