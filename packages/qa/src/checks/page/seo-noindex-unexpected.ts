import type { Check } from "../../check.ts";
import { hasNoindexHeader, isNoindex, metaOf } from "../../page/page.ts";

/** Reports a page in the sitemap that asks not to be listed. */
export const seoNoindexUnexpected: Check = {
  id: "seo.noindex-unexpected",
  category: "seo",
  severity: "error",
  critical: true,
  *run(page, site) {
    const header = site.response?.(page.path)?.headers["x-robots-tag"];
    const byHeader = hasNoindexHeader(header);
    if (!isNoindex(page) && !byHeader) return;
    const inSitemap = site.listed().has(page.path);
    if (page.path !== "/" && !inSitemap) return;
    yield {
      evidence: {
        source: byHeader ? "header" : "meta",
        value: byHeader ? (header ?? "") : (metaOf(page, "robots") ?? ""),
        inSitemap,
      },
      message: inSitemap
        ? "The page asks search engines not to index it, although the sitemap lists it."
        : "The page asks search engines not to index it.",
    };
  },
};
