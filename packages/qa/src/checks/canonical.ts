import { decodedPath } from "../crawl/addresses.ts";
import { readAddress, type Target } from "../site/address.ts";
import type { Site } from "../site/site.ts";

/** A path, perhaps with a query, in its parts. */
export function partsOf(name: string): { path: string; search: string } {
  const at = name.indexOf("?");
  return at === -1
    ? { path: name, search: "" }
    : { path: name.slice(0, at), search: name.slice(at) };
}

/** The path of a page without what servers take for the same. */
const bare = (path: string): string =>
  path
    .replace(/\/(?:index|default)\.[a-z]{3,5}$/i, "/")
    .replace(/(?<=.)\/+$|\.(?:html?|php)$/i, "");

/** Whether a query asks for nothing that the other does not ask for, too. */
function isPartOf(search: string, whole: string): boolean {
  const all = new Set([...new URLSearchParams(whole)].map((pair) => pair.join("=")));
  return [...new URLSearchParams(search)].every((pair) => all.has(pair.join("=")));
}

/** Whether two names of pages are other ways to write one: with a file's name, with more of a query. */
export function isSamePage(name: string, own: string): boolean {
  const [one, other] = [partsOf(name), partsOf(own)];
  return bare(one.path) === bare(other.path) && isPartOf(one.search, other.search);
}

/** Names of hosts that nobody else reaches: a site is tried there before it has its own. */
const trialHost = /^[\d.]+$|^\[|^localhost$|\.(?:localhost|local|test|internal)$/;

/**
 * What an address that a page says is its own stands for: where the site is tried under another host,
 * all of them name the one that it will have.
 */
export function ownTarget(target: Target, site: Site): Target {
  if (target.kind !== "outside" || site.origin === null) return target;
  if (!trialHost.test(new URL(site.origin).hostname)) return target;
  const path = decodedPath(target.url);
  return { kind: "inside", path, search: target.url.search, fragment: "", absolute: true };
}

/** Whether a page leaves it to another one to be found; false where that one isn't there. */
export function isCopy(canonical: string | null, own: string, site: Site): boolean {
  if (canonical === null) return false;
  const target = ownTarget(readAddress(canonical, partsOf(own).path, site.origin), site);
  if (target.kind !== "inside") return target.kind === "outside";
  if (target.path + target.search === own) return false;
  const place = site.resolve(target.path, target.search);
  if (place?.kind === "file") return place.path !== own;
  return place?.kind === "redirect" ? place.to !== own : place !== undefined;
}
