/** Addresses of Vitrine itself: probes test them, the crawl doesn't follow them. */
const ownPaths = /^\/(?:admin|api|devconsole|_preview)(?:\/|$)/;
/**
 * Addresses of a CDN in front of a site, such as obfuscated email addresses; its images belong to
 * the site.
 */
const edgePaths = /^\/cdn-cgi\/(?!image\/|imagedelivery\/)/;

/** Whether a path never belongs to a file of the site; `own`: the site is Vitrine's own. */
export function isProgramPath(path: string, own = true): boolean {
  return (own && ownPaths.test(path)) || edgePaths.test(path);
}
