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

/**
 * Gives a broken sign-in link, which no route would take, the address of one that is merely wrong:
 * it is an attempt like every other one. Any other address is given back.
 */
export function rewriteMalformedLink(url: string): string {
  const token = linkAddress.exec(url)?.[1];
  if (token === undefined || (token.length <= maxLinkLength && decodes(token))) return url;
  return "/admin/-";
}
