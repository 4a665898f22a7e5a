import type { Check } from "../../check.ts";
import { isUnlisted, metaOf } from "../../page/page.ts";
import type { Site } from "../../site/site.ts";

const listed = new WeakMap<Site, Set<string>>();

/** The paths that the site's sitemaps list. */
function sitemapPaths(site: Site): Set<string> {
  const known = listed.get(site);
  if (known) return known;
  const found = new Set<string>();
  for (const path of Object.keys(site.files)) {
    if (!/^\/sitemap[\w-]*\.xml$/.test(path)) continue;
    for (const [, address = ""] of (site.text(path) ?? "").matchAll(/<loc>([^<]*)<\/loc>/g)) {
      const url = URL.parse(address.trim());
      if (url) found.add(decodeURI(url.pathname));
    }
  }
  listed.set(site, found);
  return found;
}

/** A page that the sitemap offers and that asks not to be listed. */
export const seoNoindexUnexpected: Check = {
  id: "seo.noindex-unexpected",
  category: "seo",
  severity: "error",
  critical: true,
  *look(page, site) {
    const header = site.answer?.(page.path)?.headers["x-robots-tag"] ?? "";
    const byHeader = /\b(?:noindex|none)\b/i.test(header) && !/^\s*[\w-]+bot\s*:/i.test(header);
    if (!isUnlisted(page) && !byHeader) return;
    const inSitemap = sitemapPaths(site).has(page.path);
    if (page.path !== "/" && !inSitemap) return;
    yield {
      evidence: {
        source: byHeader ? "header" : "meta",
        value: byHeader ? header : (metaOf(page, "robots") ?? ""),
        inSitemap,
      },
      message: "The page asks search engines to leave it out.",
    };
  },
};
