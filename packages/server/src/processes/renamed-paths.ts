/** Renamed paths of operations: the old one, which programs may still use, and the current one. */
const renamedPaths = [
  ["/api/adminsettings/look", "/api/adminsettings/theme"],
  ["/api/adminsettings/mail", "/api/adminsettings/email"],
] as const;

/** A request's address, with the current path instead of an old one. */
export function rewriteRenamedPath(url: string): string {
  for (const [from, to] of renamedPaths) {
    if (url.startsWith(from) && /^(?:[/?#]|$)/.test(url.slice(from.length))) {
      return to + url.slice(from.length);
    }
  }
  return url;
}
