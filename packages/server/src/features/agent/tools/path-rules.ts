import {
  isMediaPath,
  isReadFolder,
  isReadPath,
  isWritePath,
  mediaFolder,
} from "../../workspace/content-paths.ts";
import { ToolRefusal } from "./refusal.ts";

/** Said to models; workspace/content-paths.ts decides. */
const writable = "app/src/, app/public/, brand/ and database/changelog.json";
const readable = "app/src/, app/public/, app/README.md, brand/ and database/changelog.json";

const textTypes = new Set(
  "astro md mdx css js ts json svg txt html xml webmanifest csv vtt".split(" "),
);

const refusedNames = [
  /^package(-lock)?\.json$/,
  /^npm-shrinkwrap\.json$/,
  /^(ts|js)config(\..*)?\.json$/,
  /\.config\.[a-z]+$/,
  /^node_modules$/,
  /^(netlify\.toml|vercel\.json|wrangler\.jsonc?)$/,
  // Short names that some file systems give to .git and its kind.
  /^[^.]{1,6}~\d/,
];

const maxPathLength = 400;
const maxNameLength = 200;
const maxDepth = 16;

function refuseName(name: string, path: string): void {
  // Folding width and case first: what a case-insensitive file system takes for the same name is the same name.
  const folded = name.normalize("NFKC").toLowerCase();
  if (name === "." || name === ".." || folded === "..") {
    throw new ToolRefusal("outside", `${path} leaves the workspace.`);
  }
  if (folded.startsWith(".")) {
    throw new ToolRefusal("name", `Names that begin with a dot are off limits: ${name}.`);
  }
  if (refusedNames.some((pattern) => pattern.test(folded))) {
    throw new ToolRefusal("name", `${name} configures the build and belongs to the platform.`);
  }
  if (/[. ]$|^ /.test(name) || Buffer.byteLength(name) > maxNameLength) {
    throw new ToolRefusal("name", `This is not a usable file name: ${name.slice(0, 60)}.`);
  }
}

/**
 * The parts of a path given by a model, relative to the workspace, NFC; `.` and `""` give none.
 * Refuses what is absolute, climbs, or carries NUL, backslash, colon, control or invisible
 * characters, dotfiles, and names that configure the build.
 */
export function pathParts(given: string): string[] {
  if (given.length > maxPathLength) throw new ToolRefusal("name", "This path is too long.");
  // eslint-disable-next-line no-control-regex
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\\:<>"|?*]/u.test(given)) {
    throw new ToolRefusal("name", "This path contains characters that aren't allowed.");
  }
  const path = given.normalize("NFC").replace(/^(\.\/)+/, "");
  if (path.startsWith("/")) {
    throw new ToolRefusal("outside", `Paths are relative to the workspace: ${path.slice(0, 80)}.`);
  }
  if (path === "" || path === ".") return [];
  const parts = path.replace(/\/$/, "").split("/");
  if (parts.length > maxDepth) throw new ToolRefusal("name", "This path is too deep.");
  for (const part of parts) {
    if (part === "") throw new ToolRefusal("name", `There is an empty name in ${path}.`);
    refuseName(part, path);
  }
  return parts;
}

/**
 * Refuses what is not among the files that agents may read, the folders they lie in, and stored
 * media, which are looked at elsewhere.
 */
export function assertReadable(parts: readonly string[]): void {
  const path = parts.join("/");
  if (isReadPath(path) || isReadFolder(path) || isMediaPath(path)) return;
  throw new ToolRefusal("outside", `Only ${readable} can be read.`);
}

/** Refuses what is outside the write paths, in the media folder, or not of a text type. */
export function assertWritable(parts: readonly string[]): void {
  const path = parts.join("/");
  const folded = path.normalize("NFKC").toLowerCase();
  if (folded === mediaFolder || folded.startsWith(`${mediaFolder}/`)) {
    throw new ToolRefusal("read_only", `${mediaFolder}/ belongs to the media library.`);
  }
  if (!isWritePath(path)) {
    throw new ToolRefusal("read_only", `${path} can't be changed: only ${writable} can.`);
  }
  const type = /\.([a-z0-9]+)$/.exec(folded)?.[1];
  if (type === undefined || !textTypes.has(type)) {
    throw new ToolRefusal("type", `Only text files can be written: ${[...textTypes].join(", ")}.`);
  }
}
