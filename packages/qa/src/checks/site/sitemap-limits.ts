import type { SiteCheck } from "../../check.ts";
import { sitemapBounds } from "../../probe/sitemap.ts";

/** Reports a sitemap beyond the limits of a single file (sitemaps.org, protocol 0.9). */
export const sitemapLimits: SiteCheck = {
  id: "sitemap.limits",
  category: "sitemap",
  severity: "warning",
  scope: "probe",
  *run(_crawl, { sitemaps }) {
    for (const { url, count, bytes } of sitemaps) {
      const path = new URL(url).pathname;
      const max = sitemapBounds.urls.toLocaleString("en");
      const faults = [
        count > sitemapBounds.urls && `The sitemap ${path} lists more than ${max} addresses.`,
        bytes > sitemapBounds.bytes && `The sitemap ${path} is larger than 50 MB.`,
      ];
      for (const [at, message] of faults.entries()) {
        if (message === false) continue;
        const what = at === 0 ? "urls" : "bytes";
        yield {
          page: "/",
          // By target alone, both faults of a file would be the same finding.
          target: `${path} ${what}`,
          message,
          evidence: { urls: count, bytes },
        };
      }
    }
  },
};
