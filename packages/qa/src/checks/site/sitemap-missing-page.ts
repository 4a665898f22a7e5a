import type { SiteCheck } from "../../check.ts";
import type { Crawl, CrawledPage } from "../../crawl/crawl.ts";
import type { Probes } from "../../probe/probes.ts";
import { plainAddress } from "../../probe/sitemap.ts";

/** The name of a page without the variations that servers treat as the same. */
function nameOf(address: string): string {
  const url = new URL(address);
  return (
    decodeURI(url.pathname)
      .replace(/\/index\.html?$/, "/")
      .replace(/\/+$/, "") + url.search
  );
}

/** Everything that the sitemaps list, including the targets of redirects. */
function listedNames(crawl: Crawl, { entries }: Probes): Set<string> {
  const names = new Set<string>();
  for (const { loc } of entries) {
    if (!crawl.isOwn(loc)) continue;
    names.add(nameOf(loc));
    const { finalUrl } = crawl.responses.get(loc) ?? {};
    if (finalUrl !== undefined) names.add(nameOf(finalUrl));
  }
  return names;
}

const titles = new WeakMap<Crawl, ReadonlyMap<string, string>>();

/** The titles of a site's pages by their names. */
function titlesOf(crawl: Crawl): ReadonlyMap<string, string> {
  const found =
    titles.get(crawl) ??
    new Map([...crawl.pages.values()].map(({ url, facts }) => [nameOf(url), facts.title]));
  titles.set(crawl, found);
  return found;
}

/** A further page of a paginated list: search engines find it from the first one. */
function isPart(crawl: Crawl, { url, facts }: CrawledPage): boolean {
  const name = nameOf(url);
  if (/\/(?:page|seite|sida)[/-]?\d+$/i.test(name)) return true;
  // A `p` with a number is the name of many a single page.
  const whole = name.replace(/\/p[/-]?\d+$/i, "");
  return whole !== name && titlesOf(crawl).get(whole) === facts.title;
}

function isToBeListed(crawl: Crawl, page: CrawledPage, { robots }: Probes): boolean {
  const { url, facts, depth, response } = page;
  if (depth === null || response.status !== 200 || response.hops.length > 0) return false;
  if (new URL(url).search !== "" || isPart(crawl, page)) return false;
  if (facts.isNoindex || robots.isAllowed(url) === false) return false;
  const canonical = facts.canonical === null ? null : plainAddress(facts.canonical, url);
  return canonical === null || nameOf(canonical) === nameOf(url);
}

/** Reports a page that visitors can reach but that the sitemap lacks. */
export const sitemapMissingPage: SiteCheck = {
  id: "sitemap.missing-page",
  category: "sitemap",
  severity: "warning",
  scope: "site",
  *run(crawl, probes) {
    // An incomplete sitemap may list it, and a sitemap for another host says nothing about it.
    if (!probes.complete || probes.urls.length === 0) return;
    const names = listedNames(crawl, probes);
    for (const page of crawl.pages.values()) {
      if (!isToBeListed(crawl, page, probes) || names.has(nameOf(page.url))) continue;
      yield {
        page: page.path,
        at: "sitemap",
        formerAt: "",
        shared: true,
        message: `The sitemap doesn’t list ${page.path}.`,
        cause: "sitemap",
        evidence: { url: page.url },
      };
    }
  },
};
