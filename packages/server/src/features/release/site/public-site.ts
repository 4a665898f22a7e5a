import {
  fileResponse,
  missingPageResponse,
  type SiteResponse,
  type SiteRequest,
} from "./file-response.ts";
import type { LiveRelease, SiteFile } from "./live-release.ts";
import type { SiteBodies } from "./site-bodies.ts";
import { pagePolicy } from "./site-policy.ts";

export interface Redirect {
  to: string;
  /** 301 for a moved page, 308 for another spelling of its address. */
  code: 301 | 308;
}

/** What a release has at an address; `missing` for nothing. */
export type SiteLookup = { moved: Redirect } | { file: SiteFile } | "missing";

/** The decoded path of an address; undefined if it can't be a file's. */
export function requestedPath(url: string): string | undefined {
  const raw = url.split("?", 1)[0] ?? "/";
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

/** The canonical address of the page that a request for `path` is for: with a trailing slash. */
function pageAddress(path: string): string {
  if (path.endsWith("/")) return path;
  return path.endsWith("/index.html") ? path.slice(0, -"index.html".length) : `${path}/`;
}

/** Where a request for `path` redirects: a moved page, or the canonical spelling. */
function redirectFor(release: LiveRelease, path: string): Redirect | undefined {
  const page = pageAddress(path);
  const to = release.redirects.get(page);
  if (to !== undefined) return { to, code: 301 };
  return page !== path && release.files.has(page) ? { to: encodeURI(page), code: 308 } : undefined;
}

/** Looks up a decoded path; undefined is missing in every release. */
export function findInRelease(release: LiveRelease, path: string | undefined): SiteLookup {
  if (path === undefined) return "missing";
  const file = path === "/404.html" ? undefined : release.files.get(path);
  const moved = file === undefined || file.page ? redirectFor(release, path) : undefined;
  if (moved !== undefined) return { moved };
  return file === undefined ? "missing" : { file };
}

/** Redirects the visitor, keeping the query. */
export function redirectResponse(url: string, { to, code }: Redirect): SiteResponse {
  const query = url.slice(url.split("?", 1)[0]?.length);
  const headers = {
    location: to + query,
    // Not cached permanently, because the owner may give an old address to another page.
    "cache-control": "public, max-age=0",
    "content-type": "text/plain; charset=utf-8",
  };
  return { status: code, headers, body: "" };
}

function plainResponse(status: 404 | 503, title: string, text: string): SiteResponse {
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": pagePolicy([]),
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`,
  };
}

/** The response of a site without a release. */
export function unpublishedResponse(): SiteResponse {
  const text = "This site is being prepared. Please come back in a moment.";
  const response = plainResponse(503, "Not ready yet", text);
  return { ...response, headers: { "retry-after": "5", ...response.headers } };
}

/** The release's own 404 page, or a plain one. */
export async function missingResponse(
  bodies: SiteBodies,
  request: SiteRequest,
  release: LiveRelease,
): Promise<SiteResponse> {
  const page = release.files.get("/404.html");
  if (page !== undefined) return missingPageResponse(bodies, request, page);
  return plainResponse(404, "Not found", "There is no page at this address.");
}

/** What everybody gets at an address. */
export async function publicResponse(
  bodies: SiteBodies,
  request: SiteRequest & { url: string },
  release: LiveRelease,
): Promise<SiteResponse> {
  const found = findInRelease(release, requestedPath(request.url));
  if (found === "missing") return missingResponse(bodies, request, release);
  if ("moved" in found) return redirectResponse(request.url, found.moved);
  return fileResponse(bodies, request, found.file);
}
