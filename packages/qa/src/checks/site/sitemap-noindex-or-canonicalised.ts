import type { SiteCheck } from "../../check.ts";
import type { CrawledPage } from "../../crawl/crawl.ts";
import { plainAddress } from "../../probe/sitemap.ts";

/** Why a page in the sitemap is not to be listed; null if it may be. */
function reasonOf({ facts, url }: CrawledPage): string | null {
  if (facts.isNoindex) return "asks not to be indexed";
  const canonical = facts.canonical === null ? null : plainAddress(facts.canonical, url);
  if (canonical === null || canonical === url) return null;
  // On a site that is checked under another host than its own, all of them differ.
  if (new URL(canonical).origin !== new URL(url).origin) return null;
  return `names ${new URL(canonical).pathname} as its own address`;
}

/** Reports pages that are in the sitemap although search engines must not list them. */
export const sitemapNoindexOrCanonicalised: SiteCheck = {
  id: "sitemap.noindex-or-canonicalised",
  category: "sitemap",
  severity: "warning",
  scope: "site",
  *run(crawl, { entries }) {
    const offered = new Map(entries.map((entry) => [entry.loc, entry]));
    for (const page of crawl.pages.values()) {
      const entry = offered.get(page.url);
      const reason = entry ? reasonOf(page) : null;
      if (!entry || reason === null) continue;
      yield {
        page: page.path,
        message: `The sitemap lists ${page.path}, but the page ${reason}.`,
        location: { selector: new URL(entry.sitemap).pathname, line: entry.line, text: entry.loc },
        evidence: { loc: entry.loc, reason },
      };
    }
  },
};
