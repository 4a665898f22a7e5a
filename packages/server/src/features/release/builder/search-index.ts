import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { mainScript, partsFile, partsScript } from "./search-parts-script.ts";

const run = promisify(execFile);

/** More pages would take a build longer than all the rest of it. Projects come last. */
const maxPages = 2000;

/** Without this page there is no index. */
const searchPage = "search/index.html";

/** A larger index is divided into parts, of which a build makes only those whose pages have changed. */
const maxUndivided = 128;
/** Pages in a part on average, at most. */
const pagesPerPart = 64;
export interface SearchOptions {
  /** The names of the parts that the live index has: they are taken from there instead of made. */
  publishedParts: readonly string[];
  /** Hears which of them, folders below `pagefind`, belong to the index that was made. */
  keep(names: string[]): void;
}

export interface SearchIndexOptions extends SearchOptions {
  /** The finished site; the index goes into its folder `pagefind`. */
  outDir: string;
  /** A writable folder for what is indexed. */
  cacheDir: string;
  /** The pages that have just been rendered (`toSearchablePage`), by file: others are read. */
  rendered?: ReadonlyMap<string, SearchablePage | null>;
  /** The content of those of them that aren't in the folder. */
  unwritten?: ReadonlyMap<string, Buffer>;
}

/** Pagefind's program, without which there is no index, and its version. */
function pagefind(): { program: string; version: string } {
  const { platform, arch } = process;
  const main = import.meta.resolve("pagefind");
  const name = `@pagefind/${platform}-${arch}/bin/pagefind_extended`;
  const description = readFileSync(new URL("../package.json", main), "utf8");
  const { version } = JSON.parse(description) as { version: string };
  return { program: createRequire(main).resolve(name), version };
}

/** A page that says of itself what is to be found in it. */
export interface SearchablePage {
  /** Its file, relative to the site. */
  name: string;
  hash: string;
}

/**
 * What the index has to know of a page; null: nothing of it is to be found.
 * @param sha256 Its hash, if that is known.
 */
export function toSearchablePage(
  name: string,
  html: Buffer,
  sha256?: string,
): SearchablePage | null {
  if (!html.includes("data-pagefind-body")) return null;
  const hasBody = /<[a-z]+\b[^<>]*\sdata-pagefind-body\b/.test(html.toString("latin1"));
  return hasBody ? { name, hash: sha256 ?? hash("sha256", html, "hex") } : null;
}

/** The files of pages in the order in which the index takes them: projects last. */
function inOrder(files: Iterable<string>): string[] {
  const all = [...files].filter((name) => name.endsWith("index.html")).toSorted();
  const isProject = (name: string): boolean => /^projects\/(?!index)/.test(name);
  return [...all.filter((name) => !isProject(name)), ...all.filter(isProject)];
}

/** Of a site's files those that the index can have, unless very many of them have nothing to be found. */
export function firstIndexed(files: readonly string[]): Set<string> {
  return new Set([...inOrder(files).slice(0, maxPages * 1.25), searchPage]);
}

/** Whether so many pages are to be found that further ones would be left out. */
export function isIndexFull(pages: ReadonlyMap<string, SearchablePage | null>): boolean {
  return [...pages.values()].filter((page) => page !== null).length >= maxPages;
}

/** The pages to be found, projects last, in order. */
async function searchablePages({
  outDir,
  rendered,
  unwritten = new Map(),
}: SearchIndexOptions): Promise<SearchablePage[]> {
  const written = await readdir(outDir, { recursive: true });
  return inOrder(new Set([...written, ...unwritten.keys()])).flatMap((name) => {
    const known = rendered?.get(name);
    const page =
      known === undefined ? toSearchablePage(name, readFileSync(join(outDir, name))) : known;
    return page ?? [];
  });
}

/** One page among many of its kind, such as that of a project, and not one that lists others. */
const isLeaf = ({ name }: SearchablePage): boolean => /^[^/]+\/[^/]+\/index\.html$/.test(name);

interface Division {
  /** Mostly what lists other pages and changes with each of them. */
  main: SearchablePage[];
  parts: SearchablePage[][];
}

/** Which pages are indexed together depends on nothing but their paths and their number. */
function divide(pages: SearchablePage[]): Division {
  const [main, leaves] = [pages.filter((page) => !isLeaf(page)), pages.filter(isLeaf)];
  if (pages.length <= maxUndivided || main.length === 0) return { main: pages, parts: [] };
  const count = 2 ** Math.max(0, Math.ceil(Math.log2(leaves.length / pagesPerPart)));
  const parts = Array.from({ length: count }, (): SearchablePage[] => []);
  for (const page of leaves) {
    const place = Number.parseInt(hash("sha256", page.name, "hex").slice(0, 8), 16) % count;
    parts[place]?.push(page);
  }
  return { main, parts: parts.filter((part) => part.length > 0) };
}

/** Indexes pages into a new folder. */
async function indexPages(
  { outDir, cacheDir, unwritten }: SearchIndexOptions,
  pages: SearchablePage[],
  { target, name }: { target: string; name: string },
): Promise<void> {
  const folder = join(cacheDir, `searchable-${name}`);
  await rm(folder, { recursive: true, force: true });
  for (const page of pages) {
    mkdirSync(join(folder, dirname(page.name)), { recursive: true });
    const content = unwritten?.get(page.name);
    if (content) writeFileSync(join(folder, page.name), content);
    else copyFileSync(join(outDir, page.name), join(folder, page.name));
  }
  await run(pagefind().program, ["--site", folder, "--output-path", target, "--silent"], {
    cwd: cacheDir,
    env: {},
  });
  await rm(folder, { recursive: true });
}

/** Pagefind brings a user interface and a worker as well; the site has its own and needs neither. */
const unused = /^pagefind-(?!entry\.json$)/;
/** What runs in the browser is there once. */
const program = /^pagefind\.js$|^wasm\./;

async function removeUnused(folder: string, isPart: boolean): Promise<void> {
  const entry = JSON.parse(await readFile(join(folder, "pagefind-entry.json"), "utf8")) as {
    languages: Record<string, { wasm: string | null }>;
  };
  const used = new Set(Object.values(entry.languages).map(({ wasm }) => wasm ?? "unknown"));
  for (const name of await readdir(folder)) {
    const [, language] = /^wasm\.([\w-]+)\.pagefind$/.exec(name) ?? [];
    const isNeedless = language !== undefined && !used.has(language);
    if (unused.test(name) || isNeedless || (isPart && program.test(name)))
      await rm(join(folder, name));
  }
}

/** Stands for all that goes into a part. */
function partName(pages: SearchablePage[]): string {
  return hash("sha256", JSON.stringify([pagefind().version, pages]), "hex").slice(0, 32);
}

async function writeParts(
  options: SearchIndexOptions,
  parts: SearchablePage[][],
): Promise<string[]> {
  const target = join(options.outDir, "pagefind");
  const published = new Set(options.publishedParts);
  const named = parts.map((pages) => ({ pages, name: partName(pages) }));
  const changed = named.filter(({ name }) => !published.has(name));
  // Pagefind has threads of its own, and more of them at once than a sandbox allows make it wait forever.
  for (const { pages, name } of changed) {
    await indexPages(options, pages, { target: join(target, name), name });
    await removeUnused(join(target, name), true);
  }
  await rename(join(target, "pagefind.js"), join(target, mainScript));
  await writeFile(join(target, "pagefind.js"), partsScript);
  await writeFile(join(target, partsFile), JSON.stringify(named.map(({ name }) => name)));
  return named.map(({ name }) => name).filter((name) => published.has(name));
}

/**
 * Makes the index by which visitors search a finished site without a server, of the pages that have an
 * element with `data-pagefind-body`; none where the site has no page at /search/. The same pages give
 * the same bytes. Throws where Pagefind fails.
 */
export async function writeSearchIndex(options: SearchIndexOptions): Promise<void> {
  const { outDir, rendered, keep } = options;
  keep([]);
  if (!rendered?.has(searchPage) && !existsSync(join(outDir, searchPage))) return;
  const pages = (await searchablePages(options)).slice(0, maxPages);
  if (pages.length === 0) return;
  const { main, parts } = divide(pages);
  const target = join(outDir, "pagefind");
  await indexPages(options, main, { target, name: "main" });
  await removeUnused(target, false);
  if (parts.length > 0) keep(await writeParts(options, parts));
}
