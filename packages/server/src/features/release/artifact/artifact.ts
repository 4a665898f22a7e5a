import { readFile } from "node:fs/promises";
import { lookup } from "mrmime";
import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";

/** A file of a site as it is served. */
export interface ManifestFile {
  /** Relative to the artifact's or release's folder. */
  file: string;
  /** SHA-256 in hex. */
  hash: string;
  bytes: number;
  /** The Content-Type. */
  type: string;
  /** Compressed siblings of the file, with `.br` and `.gz` appended. */
  encodings: { br?: { bytes: number }; gzip?: { bytes: number } };
  /** Of HTML: CSP sources of its scripts, `sha256-…` for inline ones and `wasm-unsafe-eval`. */
  scripts?: string[];
}

/** The content of a site, which alone determines which addresses exist and how they are served. */
export interface Manifest {
  /** SHA-256 over the sorted paths and hashes, so that the same bytes have the same name. */
  sha: string;
  pages: number;
  /** Of all files, without compressed siblings. */
  bytes: number;
  /** Decoded URL path (`/`, `/about/`, `/_astro/x.css`) → file. */
  files: Record<string, ManifestFile>;
  /** Whether the build drew as many share images as it might: pages may still lack theirs. */
  lacksShareImages?: true;
  /** Decoded URL path of a page → its redirect; each has a page in `files` as well. */
  redirects?: Record<string, string>;
}

/** The address under which a file is served: index.html is served at its folder. */
export function urlPathOf(path: string): string {
  return path === "index.html" || path.endsWith("/index.html")
    ? `/${path.slice(0, -"index.html".length)}`
    : `/${path}`;
}

const extraTypes: Record<string, string> = {
  webmanifest: "application/manifest+json",
  ico: "image/x-icon",
};
const textTypes =
  /^(text\/|image\/svg\+xml$|application\/(javascript|json|xml|[a-z.-]+\+(json|xml))$)/;

/** The Content-Type of a file by its name; text is UTF-8. */
export function contentType(path: string): string {
  const extension = path.slice(path.lastIndexOf(".") + 1);
  const type = extraTypes[extension] ?? lookup(path) ?? "application/octet-stream";
  return textTypes.test(type) ? `${type}; charset=utf-8` : type;
}

/** Whether files of this type are worth compressing. */
export function isCompressible(type: string): boolean {
  return textTypes.test(type.split(";")[0] ?? "") || type === "application/wasm";
}

/** Reads a manifest written by this program. Throws AppError `not_found` if there is none. */
export async function readManifest(file: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new AppError("not_found", "The manifest of this build is missing.", { cause });
  }
  return parseJson(text) as Manifest;
}
