import { ulidPattern } from "../../kit/ulid.ts";

/** In the place of a run: the release that visitors see, to compare with. */
export const livePreview = "live";

/** What an address below /_preview names. */
export interface PreviewAddress {
  /** A run, a record's private preview, or `live`. */
  previewId: string;
  ticket: string | null;
  /** The decoded path inside the site, with a slash at its start, such as `/about/`. */
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
  // A slash, a backslash or a NUL inside a name, and anything hidden or relative, is no page.
  return text.startsWith(".") || /[/\\\0]/.test(text) ? null : text;
}

/**
 * Reads the path of a request, undecoded and without its query. Null for anything that isn't the
 * plain spelling of an address: dot segments, empty segments, encoded slashes, hidden files.
 */
export function parsePreviewPath(rawPath: string): PreviewAddress | null {
  const [, previewId = "", ticket, rest = ""] = pattern.exec(rawPath) ?? [];
  if (previewId !== livePreview && !ulidPattern.test(previewId)) return null;
  const segments = rest.slice(1).split("/").map(decodeSegment);
  if (segments.includes(null) || segments.slice(0, -1).includes("")) return null;
  return { previewId, ticket: ticket ?? null, path: `/${segments.join("/")}` };
}

/** Where a preview's pages and documents are, for the session; ends without a slash. */
export function pagePrefix(previewId: string): string {
  return `/_preview/${previewId}`;
}

/** Where what its pages load is, for a holder of the ticket; ends without a slash. */
export function ticketPrefix(previewId: string, ticket: string): string {
  return `${pagePrefix(previewId)}/~${ticket}`;
}

/** Where a reader finds a preview: each ends without a slash. */
export interface PreviewPrefixes {
  /** Of pages and other documents. */
  pages: string;
  /** Of style sheets, scripts, fonts and media. */
  files: string;
}

/** Maps the addresses in a page to where the preview has them; what leads elsewhere stays as it is. */
export interface AddressMap {
  /** What a page at `pagePath` leads to: links, frames, forms. */
  ofDocument(address: string): string;
  /** What a page at `pagePath` loads. */
  inPage(address: string): string;
  /** What a file of its own loads, where relative addresses already lead right. */
  inFile(address: string): string;
}

/**
 * Maps what the site at `siteOrigin` calls `/x` to `<prefix>/x`. Addresses in pages become absolute,
 * because pages and what they load have different prefixes.
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
