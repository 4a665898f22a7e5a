/** The target of an address in a page. */
export type Target =
  | { kind: "empty" }
  | { kind: "malformed"; why: string }
  /** Inside the site: the decoded path, and the fragment without its `#`, decoded. */
  | { kind: "inside"; path: string; fragment: string; search: string; absolute: boolean }
  | { kind: "outside"; url: URL }
  /** data:, mailto:, tel:, javascript:, blob: … */
  | { kind: "other"; scheme: string; text: string };

/** Stands for the site while its own address is unknown. */
const nowhere = "https://site.invalid";
const schemes = /^([a-z][a-z0-9+.-]*):/i;

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Why an address can't be meant as it is written; null if it can. */
export function describeMalformed(text: string): string | null {
  const colon = /^(https?)(?::(?!\/\/)|\/\/|;\/\/)/i.exec(text);
  if (colon) return `“${text.slice(0, 20)}…” lacks “://”`;
  if (/^https?:\/\/\s*(?:[/?#]|$)/i.test(text)) return "it has no host";
  if (/^\/\/(?:[/?#]|$)/.test(text)) return "it has no host";
  if (/^www\.[a-z0-9-]+\.[a-z]/i.test(text)) return "it lacks “https://”";
  // `logo@2x.png` is an image for high-resolution screens.
  if (/^[^/?#\s]+@(?!\d+(?:\.\d+)?x\.)[a-z0-9-]+\.[a-z]{2,}$/i.test(text)) {
    return "it lacks “mailto:”";
  }
  return null;
}

/** Whether the path of an address contains white space: browsers escape or drop it. */
export function isSpaced(raw: string): boolean {
  return /\s/.test(raw.trim().split(/[?#]/)[0] ?? "");
}

/** A path without anything to resolve or escape, perhaps with a fragment. */
const plainPath = /^\/(?!\/)[\w/~-]*(?:\.[\w/~-]+)*(?:#[\w-]*)?$/;
const dots = /\/\./;

/**
 * Splits a plain path, as nearly all addresses in a site are, without the cost of parsing a URL;
 * null for anything else.
 */
export function plainPathOf(text: string): { path: string; fragment: string } | null {
  if (!plainPath.test(text) || dots.test(text)) return null;
  const at = text.indexOf("#");
  return at === -1
    ? { path: text, fragment: "" }
    : { path: text.slice(0, at), fragment: text.slice(at + 1) };
}

let last = { base: "", home: "", href: "" };

/** The base of relative addresses in the page at `base`; the same for a whole page. */
function baseOf(base: string, home: string): string {
  if (last.base !== base || last.home !== home) {
    last = { base, home, href: new URL(encodeURI(base), home).href };
  }
  return last.href;
}

/**
 * Parses an address in a page of a site with this origin; `base` is the path, or the address in the
 * page's `base` element, that it is relative to.
 */
export function readAddress(raw: string, base: string, origin: string | null): Target {
  const text = raw.trim();
  if (text === "") return { kind: "empty" };
  const plain = base.startsWith("/") ? plainPathOf(text) : null;
  if (plain) return { kind: "inside", ...plain, search: "", absolute: false };
  const scheme = schemes.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") {
    return { kind: "other", scheme, text };
  }
  const why = describeMalformed(text);
  if (why !== null) return { kind: "malformed", why };
  const home = origin ?? nowhere;
  const url = URL.parse(text, baseOf(base, home));
  if (!url) return { kind: "malformed", why: "it isn't an address" };
  if (url.origin !== home) return { kind: "outside", url };
  const path = decoded(url.pathname);
  if (path === null) return { kind: "malformed", why: "it has a broken % sign" };
  const fragment = decoded(url.hash.slice(1)) ?? url.hash.slice(1);
  return { kind: "inside", path, fragment, search: url.search, absolute: scheme !== undefined };
}
