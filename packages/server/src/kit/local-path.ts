const base = "http://local.invalid";
const maxLength = 2000;

/**
 * The only way in which an address from outside becomes a redirect target: a path of this site with
 * its query and fragment in normal form, or null. It begins with one slash, and no interpretation
 * (backslashes, control characters, dot segments) turns it into another host.
 */
export function localPath(text: unknown): string | null {
  if (typeof text !== "string" || text.length > maxLength || !text.startsWith("/")) return null;
  if (/[\\\p{Cc}\p{Cs}]/u.test(text)) return null;
  if (!URL.canParse(text, base)) return null;
  const { origin, pathname, search, hash } = new URL(text, base);
  // To a parser, `/.//host` is a path, but its output would be read as another host.
  if (origin !== base || pathname.startsWith("//")) return null;
  return `${pathname}${search}${hash}`;
}
