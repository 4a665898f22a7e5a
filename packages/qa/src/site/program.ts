/** Addresses that this program answers itself: doors are tried by probes, never walked through. */
const ownPaths = /^\/(?:admin|api|devconsole|_preview)(?:\/|$)/;
/** What the network before a site answers by itself, such as hidden mail addresses; its images are the site's. */
const edgePaths = /^\/cdn-cgi\/(?!image\/|imagedelivery\/)/;

/** Whether no file of the site is at a path; `own`: the site is this program's. */
export function isProgramPath(path: string, own = true): boolean {
  return (own && ownPaths.test(path)) || edgePaths.test(path);
}
