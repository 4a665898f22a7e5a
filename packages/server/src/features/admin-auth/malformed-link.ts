/** The last part of an address that a sign-in link could have, also in its absolute form. */
const linkAddress = /^(?:https?:\/\/[^/?#]*)?\/admin\/([^/?#]+)(?=$|[?#])/;

/** What no token is longer than, with room to spare; more is no parameter to the router. */
const maxLinkLength = 256;

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Shorter texts that don't begin as a token does are the names of pages, such as `/admin/users`. */
const minGuessLength = 20;

/**
 * Whether what stands behind /admin/ may be meant as a link's token, wrong or cut off as it may be. All
 * else is an address where nothing is.
 */
export function couldBeLinkToken(text: string): boolean {
  return /^vl_/i.test(text) || text.length >= minGuessLength;
}

/**
 * Gives a broken sign-in link, which no route would take, the address of one that is merely wrong:
 * it is an attempt like every other one. Any other address is given back.
 */
export function rewriteMalformedLink(url: string): string {
  const token = linkAddress.exec(url)?.[1];
  if (token === undefined || (token.length <= maxLinkLength && decodes(token))) return url;
  return couldBeLinkToken(token) ? "/admin/vl_" : "/admin/-";
}
