import type { SiteCheck } from "../../check.ts";
import { pagesOf } from "../locations.ts";

/** Reports a page that is in the sitemap but blocked by robots.txt. */
export const seoRobotsBlocksPage: SiteCheck = {
  id: "seo.robots-blocks-page",
  category: "seo",
  severity: "error",
  scope: "site",
  *run(crawl, { robots, urls = [] }) {
    if (!robots || robots.text === null) return;
    const listed = new Set(urls);
    for (const { path, url, facts } of pagesOf(crawl)) {
      // A page that isn't offered elsewhere may be blocked on purpose.
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
