import type { SiteCheck } from "../../check.ts";

/** Reports a robots.txt that doesn't name the existing sitemap. */
export const robotsNoSitemapLine: SiteCheck = {
  id: "robots.no-sitemap-line",
  category: "sitemap",
  severity: "notice",
  scope: "probe",
  *run(_crawl, { robots, sitemaps }) {
    const sitemap = sitemaps.find(({ kind }) => kind !== null);
    if (robots.text === null || robots.sitemaps.length > 0 || !sitemap) return;
    const { pathname } = new URL(sitemap.url);
    yield {
      page: "/",
      target: "/robots.txt",
      message: `robots.txt doesn’t mention the sitemap at ${pathname}.`,
      evidence: { sitemap: sitemap.url },
    };
  },
};
