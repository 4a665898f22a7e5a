import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** More pages would take a build longer than all the rest of it. */
export const maxSearchablePages = 2000;

export interface SearchIndexOptions {
  /** The finished site; the index goes into its folder `pagefind`. */
  outDir: string;
  /** A writable folder for what is indexed. */
  cacheDir: string;
  /** Most pages in the index, projects last, in the order of their paths: more are left out. */
  maxPages: number;
}

/** Pagefind's program, without which there is no index. */
function programPath(): string {
  const { platform, arch } = process;
  const name = `@pagefind/${platform}-${arch}/bin/pagefind_extended`;
  return createRequire(import.meta.resolve("pagefind")).resolve(name);
}

/** The paths of pages that say of themselves what is to be found in them, in order. */
async function searchablePages(outDir: string): Promise<string[]> {
  const all = (await readdir(outDir, { recursive: true }))
    .filter((name) => name.endsWith("index.html"))
    .toSorted();
  const isProject = (name: string): boolean => /^projects\/(?!index)/.test(name);
  const names = [...all.filter((name) => !isProject(name)), ...all.filter(isProject)];
  const pages: string[] = [];
  for (const name of names) {
    const html = await readFile(join(outDir, name), "utf8");
    if (/<[a-z]+\b[^<>]*\sdata-pagefind-body\b/.test(html)) pages.push(name);
  }
  return pages;
}

/** Pagefind brings a user interface and a worker as well; the site has its own and needs neither. */
const unused = /^pagefind-(?!entry\.json$)/;

async function removeUnused(folder: string): Promise<void> {
  const entry = JSON.parse(await readFile(join(folder, "pagefind-entry.json"), "utf8")) as {
    languages: Record<string, { wasm: string | null }>;
  };
  const used = new Set(Object.values(entry.languages).map(({ wasm }) => wasm ?? "unknown"));
  for (const name of await readdir(folder)) {
    const [, language] = /^wasm\.([\w-]+)\.pagefind$/.exec(name) ?? [];
    if (unused.test(name) || (language !== undefined && !used.has(language))) {
      await rm(join(folder, name));
    }
  }
}

/**
 * Makes the index by which visitors search a finished site without a server, of the pages that have an
 * element with `data-pagefind-body`; none where the site has no page at /search/. The same pages give
 * the same bytes. Throws where Pagefind fails.
 */
export async function writeSearchIndex(options: SearchIndexOptions): Promise<void> {
  const { outDir, cacheDir, maxPages } = options;
  const search = await readFile(join(outDir, "search/index.html")).catch(() => undefined);
  const pages = search && (await searchablePages(outDir)).slice(0, maxPages);
  if (!pages || pages.length === 0) return;
  const folder = join(cacheDir, "searchable");
  await rm(folder, { recursive: true, force: true });
  for (const name of pages) {
    await mkdir(join(folder, dirname(name)), { recursive: true });
    await copyFile(join(outDir, name), join(folder, name));
  }
  const target = join(outDir, "pagefind");
  await run(programPath(), ["--site", folder, "--output-path", target, "--silent"], {
    cwd: cacheDir,
    env: {},
  });
  await rm(folder, { recursive: true });
  await removeUnused(target);
}
