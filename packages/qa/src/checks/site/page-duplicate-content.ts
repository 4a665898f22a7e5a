import type { SiteCheck } from "../../check.ts";
import type { CrawledPage } from "../../crawl/crawl.ts";
import { pagesOf } from "../locations.ts";

/** Pages with fewer words are alike by chance. */
const minWords = 40;

/** Whether a page stands for itself: declared copies are fine. */
function isOriginal({ facts, url }: CrawledPage): boolean {
  if (facts.isNoindex || facts.words < minWords) return false;
  if (facts.canonical === null) return true;
  return URL.parse(facts.canonical, url)?.href === url;
}

/**
 * Reports pages with identical text: search engines show one of them, and not always the right one.
 */
export const pageDuplicateContent: SiteCheck = {
  id: "page.duplicate-content",
  category: "pages",
  severity: "warning",
  scope: "site",
  *run(crawl) {
    const originals = pagesOf(crawl).filter(isOriginal);
    const groups = Map.groupBy(originals, ({ facts }) => facts.textHash);
    for (const [textHash, group] of groups) {
      if (group.length < 2) continue;
      const [first, ...others] = group.toSorted(
        (a, b) => a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
      );
      if (!first || !others[0]) continue;
      const count = others.length;
      yield {
        page: first.path,
        target: others[0].path,
        evidence: { urls: group.slice(0, 20).map(({ url }) => url), hash: textHash, distance: 0 },
        message:
          count === 1
            ? `${first.path} and ${others[0].path} have the same content.`
            : `${first.path} and ${count} other pages have the same content.`,
        otherLocations: others
          .slice(0, 100)
          .map(({ path }) => ({ page: path, selector: "", line: null, text: "" })),
      };
    }
  },
};
