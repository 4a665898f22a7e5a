import type { CookieJar } from "tough-cookie";

/** The cookies of one visitor. */
export interface Cookies {
  /** The Cookie header for an address; undefined if there are no cookies. */
  headerFor(url: string): string | undefined;
  /** Stores the cookies of a response. Returns whether there were any. */
  keep(url: string, setCookie: string | undefined): Promise<boolean>;
}

const sendable = /^[\x20-\x7E]+$/;

/** Creates a cookie jar when the first cookie arrives. */
export function makeCookies(): Cookies {
  let jar: CookieJar | undefined;
  return {
    headerFor(url) {
      const header = jar?.getCookieStringSync(url);
      return header !== undefined && sendable.test(header) ? header : undefined;
    },
    async keep(url, setCookie) {
      if (setCookie === undefined) return false;
      if (!jar) {
        const { CookieJar: Jar } = await import("tough-cookie");
        jar ??= new Jar(undefined, { rejectPublicSuffixes: false, looseMode: true });
      }
      for (const line of setCookie.split("\n").slice(0, 50)) {
        jar.setCookieSync(line, url, { ignoreError: true });
      }
      return true;
    },
  };
}
