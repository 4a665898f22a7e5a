import type { SiteCheck } from "../../check.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { pathOf, locationOf } from "../locations.ts";

/** Whether an address returns a page, without a redirect. */
function isPage(crawl: Crawl, url: string): boolean {
  const response = crawl.responses.get(url);
  return response?.status === 200 && response.verdict === "ok" && response.hops.length === 0;
}

/** Which of two addresses the page declares as canonical; null if it declares neither. */
function ownOf(crawl: Crawl, variants: readonly string[]): string | null {
  for (const url of variants) {
    const canonical = crawl.pages.get(pathOf(url))?.facts.canonical;
    const own = canonical ? URL.parse(canonical, url)?.href : undefined;
    if (own !== undefined && variants.includes(own)) return own;
  }
  return null;
}

/**
 * Reports a page that is linked with and without a trailing slash and responds at both addresses.
 */
export const linkTrailingSlashInconsistent: SiteCheck = {
  id: "link.trailing-slash-inconsistent",
  category: "links",
  severity: "notice",
  scope: "site",
  *run(crawl) {
    for (const url of crawl.responses.keys()) {
      if (!url.endsWith("/") || !crawl.isOwn(url) || new URL(url).pathname === "/") continue;
      const bare = url.slice(0, -1);
      if (!isPage(crawl, url) || !isPage(crawl, bare)) continue;
      const links = [url, bare].map((one) => {
        return crawl.referencesTo(one).filter(({ kind }) => kind === "link");
      });
      const [slashed = [], plain = []] = links;
      if (slashed.length === 0 || plain.length === 0) continue;
      const own = ownOf(crawl, [url, bare]);
      // If the page declares one of them, the other links should be changed.
      const wrong =
        own === bare || (own === null && plain.length > slashed.length) ? slashed : plain;
      yield {
        ...locationOf(wrong),
        target: pathOf(bare),
        shared: true,
        evidence: {
          variants: [pathOf(url), pathOf(bare)],
          counts: [slashed.length, plain.length],
          candidate: own === null ? null : pathOf(own),
        },
        safe: own !== null,
        message: `${pathOf(bare)} is linked with a trailing slash (${slashed.length}) and without (${plain.length}).`,
      };
    }
  },
};
