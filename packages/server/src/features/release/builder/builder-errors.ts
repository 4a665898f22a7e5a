import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

const maxErrors = 20;
const maxLength = 500;

/** The parts that Astro's, Vite's and Rolldown's errors carry, as far as they do. */
interface ToolError {
  name?: string;
  message?: string;
  id?: string;
  hint?: string;
  kind?: string;
  loc?: { file?: string; line?: number; column?: number };
  errors?: unknown[];
  stack?: string;
}

/** Turns failures of the site's tools into sentences for a person, each with its place in the content. */
export interface ErrorPaths {
  /** The folder that holds app/. */
  site: string;
  out: string;
}

function oneLine(text: string): string {
  const clean = stripVTControlCharacters(text)
    .replace(/^\[[^\]\n]*\]\s*/, "")
    .replace(/^plugin `[^`]*` threw an error\s+Caused by:\s*/, "");
  const line = clean.split("\n").find((part) => part.trim() !== "") ?? "";
  return line.trim().slice(0, maxLength);
}

/** A file as the content names it: /site/app/src/x.astro → app/src/x.astro. */
function contentPath(file: string, places: ErrorPaths): string {
  const path = file.split("?")[0] ?? file;
  if (path.startsWith("/")) return relative(places.site, path);
  return path.startsWith("src/") || path.startsWith("public/") ? `app/${path}` : path;
}

/** The messages of bundlers name files from where the process stands. */
function withContentPaths(message: string, places: ErrorPaths): string {
  const roots = [places.site, places.site.slice(1)];
  return roots.reduce((text, root) => text.replaceAll(`${root}/`, ""), message);
}

/**
 * Where in a page an error was thrown while it was rendered. The compiled page keeps the lines of its
 * frontmatter, so the line at fault is looked up there and found again in the source.
 */
function renderedLine(error: ToolError, file: string, places: ErrorPaths): number | undefined {
  for (const frame of (error.stack ?? "").matchAll(/file:\/\/(\/[^\s)]+\.mjs):(\d+):\d+/g)) {
    try {
      const chunk = readFileSync(frame[1] ?? "", "utf8").split("\n");
      const text = chunk[Number(frame[2]) - 1]?.trim() ?? "";
      const source = readFileSync(join(places.site, file), "utf8").split("\n");
      const found = source.findIndex((line) => text.length > 3 && line.trim() === text);
      if (found >= 0) return found + 1;
    } catch {
      // The compiled page is gone or never was: the file's name has to do.
    }
  }
  return undefined;
}

function describe(error: ToolError, places: ErrorPaths): string {
  const text = withContentPaths(oneLine(error.message ?? error.name ?? "Unknown error"), places);
  const from = error.loc?.file ?? error.id;
  if (from === undefined) return text;
  const file = contentPath(from, places);
  const line = error.loc?.line ?? renderedLine(error, file, places);
  // Bundlers count columns from 0 and add their own kind; Astro's compiler counts from 1.
  const column =
    error.loc?.column === undefined ? undefined : error.loc.column + (error.kind ? 1 : 0);
  const place = [file, line, line === undefined ? undefined : column].filter(
    (part) => part !== undefined,
  );
  return `${place.join(":")} ${text}`;
}

/** The bundler says what is wrong in a JSON file but not in which one: those that don't parse. */
function brokenJson(places: ErrorPaths): string[] {
  const root = join(places.site, "app/src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => {
      try {
        JSON.parse(readFileSync(join(root, file), "utf8"));
        return [];
      } catch (error) {
        const text = oneLine((error as Error).message);
        const at = /^(.*?)(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)/.exec(text);
        const place = `app/src/${file}`;
        return [at ? `${place}:${at[2]}:${at[3]} ${at[1]}` : `${place} ${text}`];
      }
    });
}

function describeOne(error: ToolError, places: ErrorPaths): string[] {
  const broken = /\bvite-json\b/.test(error.message ?? "") ? brokenJson(places) : [];
  return broken.length > 0 ? broken : [describe(error, places)];
}

/**
 * The errors of a failed build as short messages, `app/src/pages/about.astro:12:5 Expected …`, each
 * on one line without colors, at most 20.
 */
export function describeErrors(failure: unknown, places: ErrorPaths): string[] {
  const error = (typeof failure === "object" && failure !== null ? failure : {}) as ToolError;
  if (Array.isArray(error.errors) && error.errors.length > 0) {
    const all = error.errors.flatMap((inner) => describeOne(inner as ToolError, places));
    return [...new Set(all)].slice(0, maxErrors);
  }
  return describeOne(failure instanceof Error ? error : { message: String(failure) }, places);
}
