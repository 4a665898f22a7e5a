import { decodedPath } from "../crawl/addresses.ts";
import { readAddress, type Target } from "../site/address.ts";
import type { Site } from "../site/site.ts";

/** Splits a name (a path, perhaps with a query) into its parts. */
export function partsOf(name: string): { path: string; search: string } {
  const at = name.indexOf("?");
  return at === -1
    ? { path: name, search: "" }
    : { path: name.slice(0, at), search: name.slice(at) };
}

/** The path of a page without the endings that servers treat as equivalent. */
const bare = (path: string): string =>
  path
    .replace(/\/(?:index|default)\.[a-z]{3,5}$/i, "/")
    .replace(/(?<=.)\/+$|\.(?:html?|php)$/i, "");

/** Whether a query contains only parameters that the other one has, too. */
function isPartOf(search: string, whole: string): boolean {
  const all = new Set([...new URLSearchParams(whole)].map((pair) => pair.join("=")));
  return [...new URLSearchParams(search)].every((pair) => all.has(pair.join("=")));
}

/** Whether two names mean the same page: one with a file name, or with more query parameters. */
export function isSamePage(name: string, own: string): boolean {
  const [one, other] = [partsOf(name), partsOf(own)];
  return bare(one.path) === bare(other.path) && isPartOf(one.search, other.search);
}

/** Hosts that nobody else can reach: sites are tested there before they get their own. */
const trialHost = /^[\d.]+$|^\[|^localhost$|\.(?:localhost|local|test|internal)$/;

/**
 * The target of a canonical address. On a site that is tested under another host, all canonical
 * addresses name the future host.
 */
export function ownTarget(target: Target, site: Site): Target {
  if (target.kind !== "outside" || site.origin === null) return target;
  if (!trialHost.test(new URL(site.origin).hostname)) return target;
  const path = decodedPath(target.url);
  return { kind: "inside", path, search: target.url.search, fragment: "", absolute: true };
}

/**
 * Whether a page declares another page as its canonical version; false if that page doesn't exist.
 */
export function isCopy(canonical: string | null, own: string, site: Site): boolean {
  if (canonical === null) return false;
  const target = ownTarget(readAddress(canonical, partsOf(own).path, site.origin), site);
  if (target.kind !== "inside") return target.kind === "outside";
  if (target.path + target.search === own) return false;
  const place = site.resolve(target.path, target.search);
  if (place?.kind === "file") return place.path !== own;
  return place?.kind === "redirect" ? place.to !== own : place !== undefined;
}
