import type { SiteCheck } from "../../check.ts";

/** Reports a sitemap entry that is missing or redirected. */
export const sitemapNon200: SiteCheck = {
  id: "sitemap.non-200",
  category: "sitemap",
  severity: "error",
  scope: "site",
  *run(crawl, { entries }) {
    const reported = new Set<string>();
    for (const { loc, sitemap, line } of entries) {
      const response = crawl.responses.get(loc);
      if (!response || reported.has(loc) || !crawl.isOwn(loc)) continue;
      const { status, hops, finalUrl, verdict } = response;
      const moved = hops.length > 0 && verdict === "ok";
      // Server errors are reported by page.status-5xx.
      if (!moved && (verdict !== "broken" || status === null || status >= 500)) continue;
      reported.add(loc);
      const { pathname, search } = new URL(loc);
      const path = pathname + search;
      yield {
        page: "/",
        target: path,
        message: moved
          ? `The sitemap lists ${path}, which redirects to ${finalUrl}.`
          : `The sitemap lists ${path}, which returns ${status}.`,
        severity: moved ? "warning" : "error",
        location: { selector: new URL(sitemap).pathname, line, text: loc },
        evidence: { loc, status: moved ? (hops[0]?.status ?? null) : status },
      };
    }
  },
};
