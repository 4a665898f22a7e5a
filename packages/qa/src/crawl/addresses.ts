import { plainPathOf, describeMalformed } from "../site/address.ts";

/** A resolved address. */
export interface Resolved {
  /** Absolute, with its fragment. */
  url: string;
  /** The address without its fragment, as requested. */
  key: string;
  own: boolean;
}

export interface Resolver {
  /** Resolves an address; null if it isn't a web address: another scheme, or malformed. */
  resolve(raw: string, base: string): Resolved | null;
}

const otherScheme = /^(?!https?:)[a-z][a-z0-9+.-]*:/i;
const absolute = /^https?:\/\//i;
const rooted = /^\/(?!\/)/;

function isBrokenEscape(url: URL): boolean {
  if (!url.pathname.includes("%")) return false;
  try {
    decodeURIComponent(url.pathname);
    return false;
  } catch {
    return true;
  }
}

/**
 * Makes a cached resolver for the addresses of a site, because the same ones occur on many pages.
 */
export function makeResolver(origin: string): Resolver {
  const known = new Map<string, Resolved | null>();
  const home = `${origin}/`;
  const read = (text: string, base: string): Resolved | null => {
    if (otherScheme.test(text) || describeMalformed(text) !== null) return null;
    const url = URL.parse(text, base);
    if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
    const own = url.origin === origin;
    if (own && isBrokenEscape(url)) return null;
    // User names and passwords in addresses are never sent to anyone.
    if (url.username !== "" || url.password !== "") [url.username, url.password] = ["", ""];
    const { href, hash } = url;
    const key = hash === "" ? href.replace(/#$/, "") : href.slice(0, -hash.length);
    return { url: href, key, own };
  };
  return {
    resolve(raw, base) {
      const text = raw.trim();
      if (text === "") return null;
      const isRooted = rooted.test(text) && base.startsWith(home);
      // Addresses that mean the same on every page are resolved once.
      if (!isRooted && !absolute.test(text)) return read(text, base);
      let found = known.get(text);
      if (found === undefined) {
        const plain = isRooted ? plainPathOf(text) : null;
        found = plain
          ? { url: origin + text, key: origin + plain.path, own: true }
          : read(text, base);
        known.set(text, found);
      }
      return found;
    },
  };
}

/** The name of the site's own page in `Site`: decoded path, with the query if there is one. */
export function pathNameOf(url: URL): string {
  return decodedPath(url) + url.search;
}

/** The decoded path, for people; unchanged if its escapes aren't valid UTF-8. */
export function decodedPath({ pathname }: URL): string {
  if (!pathname.includes("%")) return pathname;
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Whether two addresses are on the same site, with or without `www.`, over HTTP or HTTPS. */
export function isSameSite(a: URL, b: URL): boolean {
  const name = ({ hostname }: URL) => hostname.replace(/^www\./, "");
  return name(a) === name(b) && (a.protocol === b.protocol || a.port === b.port);
}
