import type { SiteCheck } from "../../check.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { pagesOf } from "../locations.ts";
import { canBeFilledAt } from "../needs-script.ts";

/** Hardly anyone gets to a page that is more clicks than this away from the start. */
const maxClicks = 6;

/** Reports a page in the sitemap that no other page links to. */
export const pageOrphan: SiteCheck = {
  id: "page.orphan",
  category: "pages",
  severity: "warning",
  scope: "site",
  *run(crawl, { urls = [] }) {
    // If the crawl is incomplete, other pages may link to it.
    if (!crawl.complete) return;
    const listed = new Set(urls);
    for (const { path, url, facts, depth } of pagesOf(crawl)) {
      if (depth !== null || facts.isNoindex || !listed.has(url) || url === crawl.start) continue;
      const others = crawl.referencesTo(url).filter(({ page, kind }) => {
        return page !== path && (kind === "link" || kind === "alternate" || kind === "frame");
      });
      // A copy is found by way of its canonical page.
      const own = facts.canonical === null ? url : URL.parse(facts.canonical, url)?.href;
      if (others.length > 0 || own !== url) continue;
      yield {
        page: path,
        evidence: { url, inSitemap: true, links: 0 },
        message: `The sitemap lists ${path}, but no page links to it.`,
      };
    }
  },
};

/** The pages on the shortest path from the start to a page. */
function pathTo(crawl: Crawl, path: string): string[] {
  const connection = [path];
  for (let at = crawl.pages.get(path)?.from; at && connection.length < 30;) {
    connection.unshift(at);
    at = crawl.pages.get(at)?.from;
  }
  return connection;
}

/** Reports a page that is many clicks away from the start. */
export const pageDepth: SiteCheck = {
  id: "page.depth",
  category: "pages",
  severity: "notice",
  scope: "site",
  *run(crawl) {
    for (const { path, facts, depth } of pagesOf(crawl)) {
      if (depth === null || depth <= maxClicks || facts.isNoindex) continue;
      // A script may add a menu with shorter ways.
      const isDoubtful = pathTo(crawl, path).some((at) => canBeFilledAt(at, crawl.site));
      yield {
        page: path,
        ...(isDoubtful && { confidence: "review" as const }),
        evidence: { depth, path: pathTo(crawl, path) },
        message: `${path} is ${depth} clicks away from the home page.`,
      };
    }
  },
};
