import type { SiteCheck } from "../../check.ts";
import { pagesOf } from "../locations.ts";

/** A page that the sitemap offers and that robots.txt keeps search engines from. */
export const seoRobotsBlocksPage: SiteCheck = {
  id: "seo.robots-blocks-page",
  category: "seo",
  severity: "error",
  scope: "site",
  *run(crawl, { robots, urls = [] }) {
    if (!robots || robots.text === null) return;
    const listed = new Set(urls);
    for (const { path, url, facts } of pagesOf(crawl)) {
      // Without being offered elsewhere, a page may well be kept from them on purpose.
      if (facts.isNoindex || (!listed.has(url) && url !== crawl.start)) continue;
      if (robots.isAllowed(url) !== false) continue;
      const rule = robots.lineFor(url);
      yield {
        page: path,
        evidence: { url, rule: rule?.text ?? null, line: rule?.line ?? null },
        message: `${path} is offered to search engines, but robots.txt blocks it.`,
      };
    }
  },
};
