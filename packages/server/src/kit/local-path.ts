const base = "http://local.invalid";
const maxLength = 2000;

/**
 * The one way in which an address that came from outside becomes a place to go to: a path of this
 * site with its query and fragment, in its normal form, or null. It begins with one slash, and no
 * reading of it (backslashes, control characters, dot segments) makes another host of it.
 */
export function localPath(text: unknown): string | null {
  if (typeof text !== "string" || text.length > maxLength || !text.startsWith("/")) return null;
  if (/[\\\p{Cc}\p{Cs}]/u.test(text)) return null;
  if (!URL.canParse(text, base)) return null;
  const { origin, pathname, search, hash } = new URL(text, base);
  // `/.//host` is a path to a parser, and another host to whoever reads what it gives.
  if (origin !== base || pathname.startsWith("//")) return null;
  return `${pathname}${search}${hash}`;
}
