import type { SiteCheck } from "../../check.ts";
import type { Crawl, CrawledPage } from "../../crawl/crawl.ts";
import type { Probes } from "../../probe/probes.ts";
import { plainAddress } from "../../probe/sitemap.ts";

/** The same page under the names that servers take for the same. */
function nameOf(address: string): string {
  const url = new URL(address);
  return (
    decodeURI(url.pathname)
      .replace(/\/index\.html?$/, "/")
      .replace(/\/+$/, "") + url.search
  );
}

/** All that the sitemaps list, also where it leads on. */
function listedNames(crawl: Crawl, { entries }: Probes): Set<string> {
  const names = new Set<string>();
  for (const { loc } of entries) {
    if (!crawl.isOwn(loc)) continue;
    names.add(nameOf(loc));
    const { finalUrl } = crawl.answers.get(loc) ?? {};
    if (finalUrl !== undefined) names.add(nameOf(finalUrl));
  }
  return names;
}

/** A further part of a list that goes on over several pages: search engines find it from the first. */
const isPart = (url: URL): boolean => /\/(?:page|seite|sida|p)[/-]?\d+\/?$/i.test(url.pathname);

function isToBeListed({ url, facts, depth, answer }: CrawledPage, { robots }: Probes): boolean {
  if (depth === null || answer.status !== 200 || answer.hops.length > 0) return false;
  const address = new URL(url);
  if (address.search !== "" || isPart(address)) return false;
  if (facts.unlisted || robots.isAllowed(url) === false) return false;
  const canonical = facts.canonical === null ? null : plainAddress(facts.canonical, url);
  return canonical === null || nameOf(canonical) === nameOf(url);
}

/** A page that visitors reach and the sitemap leaves out. */
export const sitemapMissingPage: SiteCheck = {
  id: "sitemap.missing-page",
  category: "sitemap",
  severity: "warning",
  scope: "site",
  *look(crawl, probes) {
    // What was not read to its end may list it, and one of another site's name says nothing here.
    if (!probes.complete || probes.urls.length === 0) return;
    const names = listedNames(crawl, probes);
    for (const page of crawl.pages.values()) {
      if (!isToBeListed(page, probes) || names.has(nameOf(page.url))) continue;
      yield {
        page: page.path,
        message: `The sitemap leaves out ${page.path}.`,
        cause: "sitemap",
        evidence: { url: page.url },
      };
    }
  },
};
