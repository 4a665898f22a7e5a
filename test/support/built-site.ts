import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import {
  contentType,
  type Manifest,
  urlPathOf,
} from "../../packages/server/src/features/release/artifact/artifact.ts";

/** Files of a built site by their paths below its folder: `about/index.html`. */
export type SiteFiles = Readonly<Record<string, string | Buffer>>;

/** The manifest of such files, as a build would write it; without encodings. */
export function manifestOf(files: SiteFiles, redirects?: Record<string, string>): Manifest {
  const entries = Object.entries(files).map(([file, body]) => {
    const bytes = Buffer.from(body);
    const entry = { file, hash: sha256Hex(bytes), bytes: bytes.length, type: contentType(file) };
    return [urlPathOf(file), { ...entry, encodings: {} }] as const;
  });
  const pages = entries.filter(([, { type }]) => type.startsWith("text/html")).length;
  const bytes = entries.reduce((sum, [, entry]) => sum + entry.bytes, 0);
  const sha = sha256Hex(JSON.stringify([entries, redirects]));
  return { sha, pages, bytes, files: Object.fromEntries(entries), ...(redirects && { redirects }) };
}

/** Writes a site to `dir` with its manifest beside it. */
export async function writeSite(
  dir: string,
  files: SiteFiles,
  redirects?: Record<string, string>,
): Promise<void> {
  for (const [file, body] of Object.entries(files)) {
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), body);
  }
  await mkdir(dir, { recursive: true });
  await writeFile(`${dir}.json`, JSON.stringify(manifestOf(files, redirects)));
}

/** A page without defects, with this main content; `head` is added to its head. */
export function goodPage(
  path: string,
  main = "<h1>Work</h1><p>Things that were made.</p>",
  head = "",
): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Page ${path}</title>
<meta name="description" content="What is at ${path}"><link rel="canonical" href="https://example.com${path}">
<link rel="stylesheet" href="/site.css">${head}</head><body>
<header><nav><a href="/">Home</a></nav></header><main id="main">${main}</main>
<footer><p>Made here.</p></footer></body></html>`;
}

/** A style sheet with readable text. */
export const goodStyle = "html{color:#222;background:#fff}a{color:#00c}";
