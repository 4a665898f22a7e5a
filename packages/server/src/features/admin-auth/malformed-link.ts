/** The last segment of an address that could be a sign-in link, also in absolute form. */
const linkAddress = /^(?:https?:\/\/[^/?#]*)?\/admin\/([^/?#]+)(?=$|[?#])/;

/** Tokens are shorter than this; the router doesn't match longer parameters. */
const maxLinkLength = 256;

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Shorter texts that don't start like a token are page names, such as `/admin/users`. */
const minGuessLength = 20;

/**
 * Whether the text after /admin/ could be a link's token that is wrong or cut off. Everything else
 * is not found.
 */
export function couldBeLinkToken(text: string): boolean {
  return /^vl_/i.test(text) || text.length >= minGuessLength;
}

/**
 * Rewrites a broken sign-in link, which no route would match, to the address of a wrong one, so
 * that it counts as an attempt. Returns other addresses unchanged.
 */
export function rewriteMalformedLink(url: string): string {
  const token = linkAddress.exec(url)?.[1];
  if (token === undefined || (token.length <= maxLinkLength && decodes(token))) return url;
  return couldBeLinkToken(token) ? "/admin/vl_" : "/admin/-";
}
