import { plainPathOf, describeMalformed } from "../site/address.ts";

/** An address as it is asked for. */
export interface Resolved {
  /** Absolute, with its fragment. */
  url: string;
  /** The same without a fragment: what is asked. */
  key: string;
  own: boolean;
}

export interface Resolver {
  /** Null for what leads to no page or file of the web: another scheme, a malformed address. */
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

/** Makes what resolves the addresses of a site; the same ones come again on page after page. */
export function makeResolver(origin: string): Resolver {
  const known = new Map<string, Resolved | null>();
  const home = `${origin}/`;
  const read = (text: string, base: string): Resolved | null => {
    if (otherScheme.test(text) || describeMalformed(text) !== null) return null;
    const url = URL.parse(text, base);
    if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
    const own = url.origin === origin;
    if (own && isBrokenEscape(url)) return null;
    // Nobody is told the names and passwords that a page has in its addresses.
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
      // What means the same on every page is read once.
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

/** How `Site` names the page at an address of its own: decoded path, with the query if there is one. */
export function pathNameOf(url: URL): string {
  return decodedPath(url) + url.search;
}

/** The path as people read it; as it stands where its escapes are no UTF-8. */
export function decodedPath({ pathname }: URL): string {
  if (!pathname.includes("%")) return pathname;
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** The same site, with or without `www.`, by http or https. */
export function isSameSite(a: URL, b: URL): boolean {
  const name = ({ hostname }: URL) => hostname.replace(/^www\./, "");
  return name(a) === name(b) && (a.protocol === b.protocol || a.port === b.port);
}
