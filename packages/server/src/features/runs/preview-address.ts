import { ulidPattern } from "../../kit/ulid.ts";

/** Instead of a run: the release that visitors see, for comparison. */
export const livePreview = "live";

/** The parts of an address below /_preview. */
export interface PreviewAddress {
  /** A run, a record's private preview, or `live`. */
  previewId: string;
  ticket: string | null;
  /** The decoded path inside the site, with a leading slash, such as `/about/`. */
  path: string;
}

const pattern = /^\/_preview\/([^/]+)(?:\/~([^/]+))?(\/.*)$/;

function decodeSegment(segment: string): string | null {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return null;
  }
  // Names with a slash, backslash, or NUL, and hidden or relative ones, aren't pages.
  return text.startsWith(".") || /[/\\\0]/.test(text) ? null : text;
}

/**
 * Parses a request's path, undecoded and without its query. Null if it isn't the canonical form of
 * an address: dot segments, empty segments, encoded slashes, hidden files.
 */
export function parsePreviewPath(rawPath: string): PreviewAddress | null {
  const [, previewId = "", ticket, rest = ""] = pattern.exec(rawPath) ?? [];
  if (previewId !== livePreview && !ulidPattern.test(previewId)) return null;
  const segments = rest.slice(1).split("/").map(decodeSegment);
  if (segments.includes(null) || segments.slice(0, -1).includes("")) return null;
  return { previewId, ticket: ticket ?? null, path: `/${segments.join("/")}` };
}

/** The path of a preview's pages and documents, for the session; without a trailing slash. */
export function pagePrefix(previewId: string): string {
  return `/_preview/${previewId}`;
}

/** The path of the files that its pages load, for a ticket; without a trailing slash. */
export function ticketPrefix(previewId: string, ticket: string): string {
  return `${pagePrefix(previewId)}/~${ticket}`;
}

/** The paths of a preview, each without a trailing slash. */
export interface PreviewPrefixes {
  /** Pages and other documents. */
  pages: string;
  /** Style sheets, scripts, fonts, and media. */
  files: string;
}

/** Maps addresses to those in the preview; external ones stay unchanged. */
export interface AddressMap {
  /** What a page at `pagePath` leads to: links, frames, forms. */
  ofDocument(address: string): string;
  /** What a page at `pagePath` loads. */
  inPage(address: string): string;
  /** What a file loads; its relative addresses are already correct. */
  inFile(address: string): string;
}

/**
 * Maps `/x` on `siteOrigin` to `<prefix>/x`. Addresses in pages become absolute, because pages and
 * the files they load have different prefixes.
 */
export function makeAddressMap(options: {
  prefixes: PreviewPrefixes;
  siteOrigin: string;
  pagePath: string;
}): AddressMap {
  const { prefixes, siteOrigin, pagePath } = options;
  const absolute = (prefix: string, address: string): string => {
    const text = address.trim();
    if (/^\/(?![/\\])/.test(text)) return prefix + text;
    if (text === siteOrigin) return `${prefix}/`;
    return text.startsWith(`${siteOrigin}/`) ? prefix + text.slice(siteOrigin.length) : address;
  };
  const fromPage = (prefix: string, address: string): string => {
    const text = address.trim();
    const elsewhere = /^(?:$|[#?/\\]|[a-z][a-z0-9+.-]*:)/i.test(text);
    if (elsewhere || !URL.canParse(text, `http://site${pagePath}`)) {
      return absolute(prefix, address);
    }
    const { pathname, search, hash } = new URL(text, `http://site${pagePath}`);
    return prefix + pathname + search + hash;
  };
  return {
    ofDocument: (address) => fromPage(prefixes.pages, address),
    inPage: (address) => fromPage(prefixes.files, address),
    inFile: (address) => absolute(prefixes.files, address),
  };
}
