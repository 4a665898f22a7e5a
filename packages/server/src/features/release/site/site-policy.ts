import type { ManifestFile } from "../artifact/artifact.ts";

/**
 * The policy of a public page: everything from the site itself, inline scripts only by the hashes
 * of the build, WebAssembly only if the page's manifest says so. Inline styles are allowed, because
 * pages have many style attributes.
 */
export function pagePolicy(scripts: readonly string[]): string {
  const own = ["'self'", ...scripts.map((source) => `'${source}'`)].join(" ");
  return [
    "default-src 'self'",
    `script-src ${own}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/** An image or document opened directly may only render itself. */
const filePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; frame-ancestors 'self'";
/** Browsers show PDFs in a viewer that counts as an object. */
const documentPolicy =
  "default-src 'self'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'";

/** Files that never change at their address. */
const immutablePaths = /^\/(?:(?:_astro|media|pagefind\/[0-9a-f]{32})\/|og\/[0-9a-f]{32}\.png$)/;

/** Whether a file is a page. */
export function isPage(file: ManifestFile): boolean {
  return file.type.startsWith("text/html");
}

/** The headers of a file that don't depend on the request. */
export function fileHeaders(urlPath: string, file: ManifestFile): Record<string, string> {
  const page = isPage(file);
  const policy = file.type === "application/pdf" ? documentPolicy : filePolicy;
  return {
    "content-type": file.type,
    "cache-control": immutablePaths.test(urlPath)
      ? "public, max-age=31536000, immutable"
      : "public, max-age=0, must-revalidate",
    "content-security-policy": page ? pagePolicy(file.scripts ?? []) : policy,
    "accept-ranges": "bytes",
    // Feeds and link previews show images on other sites.
    "cross-origin-resource-policy": page ? "same-origin" : "cross-origin",
    ...(Object.keys(file.encodings).length > 0 ? { vary: "Accept-Encoding" } : {}),
  };
}
