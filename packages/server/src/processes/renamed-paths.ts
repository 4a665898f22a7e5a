/** Paths of operations that have moved: the old one, which programs still ask, and the present one. */
const renamedPaths = [
  ["/api/adminsettings/look", "/api/adminsettings/theme"],
  ["/api/adminsettings/mail", "/api/adminsettings/email"],
] as const;

/** The address of a request, with the present path where it asks an old one. */
export function rewriteRenamedPath(url: string): string {
  for (const [from, to] of renamedPaths) {
    if (url.startsWith(from) && /^(?:[/?#]|$)/.test(url.slice(from.length))) {
      return to + url.slice(from.length);
    }
  }
  return url;
}
