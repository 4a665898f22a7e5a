import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SiteCopy } from "./site-copy.ts";

/** A file that tells a host how to serve the copy. */
export interface HostFile {
  path: "_headers" | "_redirects";
  text: string;
}

/** The default headers of this server that also make sense elsewhere. */
function headersOf({ origin }: SiteCopy): string {
  const formAction = origin === null ? "'self'" : `'self' ${origin}`;
  // Pages have the whole policy in themselves; this is what only a header can say, for every file.
  const policy = `base-uri 'self'; form-action ${formAction}; frame-ancestors 'self'`;
  const immutable = "  Cache-Control: public, max-age=31536000, immutable";
  return [
    "/*",
    "  X-Content-Type-Options: nosniff",
    "  Referrer-Policy: strict-origin-when-cross-origin",
    "  Cross-Origin-Opener-Policy: same-origin",
    "  Permissions-Policy: camera=(), geolocation=(), microphone=()",
    `  Content-Security-Policy: ${policy}`,
    "/_astro/*",
    immutable,
    "/media/*",
    immutable,
    "",
  ].join("\n");
}

/** `force`: what a rule needs so that it applies although there is a page. */
function redirectsOf({ redirects, origin }: SiteCopy, force: string): string {
  const moved = [...redirects].map(
    ([from, to]) => `${encodeURI(from)} ${encodeURI(to)} 301${force}\n`,
  );
  const account =
    origin === null
      ? []
      : [
          `/account ${origin}/account/ 302${force}\n`,
          `/account/* ${origin}/account/:splat 302${force}\n`,
        ];
  return [...moved, ...account].join("");
}

/**
 * The files `_headers` and `_redirects` (docs.netlify.com/routing,
 * developers.cloudflare.com/pages/configuration): what the site has of its own follows.
 */
export async function hostFilesOf(copy: SiteCopy, force: "" | "!"): Promise<HostFile[]> {
  const texts = { _headers: headersOf(copy), _redirects: redirectsOf(copy, force) } as const;
  const files: HostFile[] = [];
  for (const path of ["_headers", "_redirects"] as const) {
    const isOwn = copy.files.some((file) => file.path === path);
    const own = isOwn ? await readFile(join(copy.folder, path), "utf8") : "";
    const text = texts[path] + own;
    if (text !== "") files.push({ path, text });
  }
  return files;
}
