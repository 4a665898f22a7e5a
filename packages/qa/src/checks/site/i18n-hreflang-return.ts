import type { SiteCheck } from "../../check.ts";
import type { CrawledPage } from "../../crawl/crawl.ts";
import { pagesOf } from "../locations.ts";

/** The translations that a page lists, without fragments. */
function translationsOf({ url, facts }: CrawledPage): { lang: string; url: string }[] {
  return facts.alternates.flatMap(({ lang, url: raw }) => {
    const to = URL.parse(raw, url);
    if (!to) return [];
    to.hash = "";
    return [{ lang, url: to.href }];
  });
}

/** Reports a translation that doesn't link back: search engines then ignore both links. */
export const i18nHreflangReturn: SiteCheck = {
  id: "i18n.hreflang-return",
  category: "i18n",
  severity: "warning",
  scope: "site",
  *run(crawl) {
    const pages = new Map(pagesOf(crawl).map((page) => [page.url, page]));
    for (const page of pages.values()) {
      if (page.facts.isNoindex) continue;
      const reported = new Set<string>([page.url]);
      for (const { lang, url } of translationsOf(page)) {
        const other = pages.get(url);
        if (!other || reported.has(url) || other.facts.isNoindex) continue;
        reported.add(url);
        const back = translationsOf(other).some((translation) => translation.url === page.url);
        // A copy is represented by its canonical page.
        const own = page.facts.canonical && URL.parse(page.facts.canonical, page.url)?.href;
        if (back || (own && own !== page.url)) continue;
        yield {
          page: page.path,
          target: other.path,
          evidence: { pair: [page.url, url], lang },
          message: `${page.path} links to ${other.path} as its translation (${lang}), but that page doesn’t link back.`,
        };
      }
    }
  },
};
