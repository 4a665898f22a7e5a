import { posix } from "node:path";
import type { Jail } from "../tools/jail.ts";
import { ToolRefusal } from "../tools/refusal.ts";
import { readAstro, readScript } from "./astro-source.ts";
import { readJson } from "./json-source.ts";
import type { Segment } from "./segment.ts";

const sources = "app/src/";
const searched = /\.(astro|json|mdx?|tsx?|js)$/;
const endings = ["", ".astro", ".ts", ".js", ".json", "/index.ts", "/index.astro"];

/**
 * The site's source in memory, with the edits so far; files are written only after all edits are
 * known.
 */
export interface SiteSource {
  /** All files of the workspace, and those in app/src with texts. */
  readonly files: readonly string[];
  readonly sources: readonly string[];
  text(path: string): string;
  set(path: string, text: string): void;
  /** Files whose text differs from the one on disk. */
  changed(): { path: string; before: string; text: string }[];
  segments(path: string): Segment[];
  /** The imports of a file from app/src, by local name ("" for an import without one). */
  imports(path: string): { name: string; path: string }[];
  /** A page's own files (the page and the JSON it imports), followed by everything they import. */
  reach(page: string): { own: string[]; all: string[] };
}

function markdownSegments(source: string): Segment[] {
  const front = /^---\r?\n[\s\S]*?\r?\n---\r?\n/.exec(source)?.[0].length ?? 0;
  const body = { kind: "markdown" as const, quote: "" as const, name: "", tag: "" };
  return [{ ...body, start: front, end: source.length }];
}

function segmentsOf(path: string, text: string): Segment[] {
  if (path.endsWith(".json")) return readJson(text);
  if (path.endsWith(".astro")) return readAstro(text).segments;
  if (/\.mdx?$/.test(path)) return markdownSegments(text);
  return readScript(text);
}

async function readAll(jail: Jail, paths: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths) {
    try {
      texts.set(path, await jail.readText(path));
    } catch (error) {
      if (!(error instanceof ToolRefusal)) throw error;
    }
  }
  return texts;
}

const importPattern =
  /\bimport\s+(?:type\s+)?(?:(?:\*\s+as\s+)?([\w$]+)?[^"';]*?\bfrom\s*)?["']([^"']+)["']/g;

export async function readSite(jail: Jail): Promise<SiteSource> {
  const files = await jail.files();
  const before = await readAll(
    jail,
    files.filter((file) => file.startsWith(sources) && searched.test(file)),
  );
  const after = new Map(before);
  const text = (path: string) => after.get(path) ?? "";

  function target(from: string, specifier: string): string | undefined {
    const base = /^[@~]\//.test(specifier)
      ? `${sources}${specifier.slice(2)}`
      : specifier.startsWith(".")
        ? posix.join(posix.dirname(from), specifier)
        : specifier.replace(/^\/?src\//, sources);
    return endings.map((ending) => base + ending).find((path) => after.has(path));
  }

  function imports(path: string): { name: string; path: string }[] {
    if (path.endsWith(".json")) return [];
    return [...text(path).matchAll(importPattern)].flatMap(([, name, specifier]) => {
      const found = target(path, specifier ?? "");
      return found === undefined ? [] : [{ name: name ?? "", path: found }];
    });
  }

  return {
    files,
    sources: [...before.keys()],
    text,
    set: (path, value) => after.set(path, value),
    changed: () =>
      [...after].flatMap(([path, value]) =>
        before.get(path) === value ? [] : [{ path, before: before.get(path) ?? "", text: value }],
      ),
    segments: (path) => segmentsOf(path, text(path)),
    imports,
    reach(page) {
      const direct = imports(page).map((entry) => entry.path);
      const all = new Set([page]);
      for (const path of all) for (const entry of imports(path)) all.add(entry.path);
      return {
        own: [page, ...new Set(direct.filter((path) => path.endsWith(".json")))],
        all: [...all],
      };
    },
  };
}
