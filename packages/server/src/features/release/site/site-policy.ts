import type { ManifestFile } from "../artifact/artifact.ts";

/**
 * The policy of a page of the public site: everything from the site itself, inline scripts only those
 * that the build wrote, by their hash, WebAssembly only where the page's manifest says so; inline
 * styles are allowed because pages are full of attributes.
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

/** An image or document that is opened by itself may draw itself and nothing more. */
const filePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; frame-ancestors 'self'";
/** Browsers show PDF in a part of their own that counts as an object. */
const documentPolicy =
  "default-src 'self'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'";

/** What never changes at its address. */
const immutablePaths = /^\/(?:(?:_astro|media)\/|og\/[0-9a-f]{32}\.png$)/;

/** Whether a file is a page. */
export function isPage(file: ManifestFile): boolean {
  return file.type.startsWith("text/html");
}

/** The headers of a file that do not depend on the request. */
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
