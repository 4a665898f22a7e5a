import type { SiteCheck } from "../../check.ts";
import type { CrawledPage } from "../../crawl/crawl.ts";
import { simhashDistance } from "../../crawl/simhash.ts";
import { pagesOf } from "../locations.ts";

/** Pages with the same text may differ in this many of 64 bits. */
const near = 3;
/** A page with more words than this has real content. */
const maxWords = 120;

/** Typical texts of error pages, at the beginning of a title or heading. */
const phrases =
  /^\W*(?:(?:error|http)?\s*404\b|(?:page|seite|file|content|article)\s+(?:was\s+|is\s+)?(?:not|can(?:no|[’']?)t be|nicht)\s+(?:found|gefunden|exist)|not found\b|nothing (?:was )?found|(?:oops\W+)?(?:this|that|the) page (?:does(?:n[’']t| not) exist|is(?:n[’']t| not) (?:here|there|available)|(?:can(?:no|[’'])t|could(?:n[’']t| not)) be found)|sidan (?:hittades inte|finns inte)|page (?:introuvable|non trouvée)|página no encontrada|pagina non trovata)/i;

function phraseOf({ facts }: CrawledPage): string | null {
  const headlines = [facts.title, ...facts.headings.slice(0, 2).map(({ text }) => text)];
  for (const text of headlines) {
    const found = phrases.exec(text);
    if (found) return found[0].trim();
  }
  return null;
}

const folderOf = (path: string): string => {
  const bare = (path.split("?")[0] ?? "").replace(/\/$/, "");
  return bare.slice(0, bare.lastIndexOf("/") + 1) || "/";
};

/** Addresses of pages that are meant to show an error. */
const meant = /(?:^|\/)(?:404|not-?found|error|errors)(?:[./]|$)/i;

/** Search pages may well say that they found nothing. */
const isSearchFor =
  /(?:^|\/)(?:search|suche?|sok|recherche|buscar|cerca)(?:[/?]|$)|[?&](?:q|s|query|search|keywords?)=/i;

/** Reports an address that should be missing but responds like a page. */
export const pageSoft404: SiteCheck = {
  id: "page.soft-404",
  category: "pages",
  severity: "error",
  scope: "site",
  *run(crawl) {
    const start = crawl.pages.get(new URL(crawl.start).pathname);
    for (const page of pagesOf(crawl)) {
      const { path, url, facts } = page;
      if (page === start || meant.test(path) || isSearchFor.test(path)) continue;
      if (facts.words === 0 || facts.words > maxWords) continue;
      const baseline = crawl.baselineOf(folderOf(path)) ?? crawl.baselineOf("/");
      const far = baseline ? simhashDistance(baseline.simhash, facts.simhash) : 64;
      // If missing addresses show the start page, they all look like one page, and nothing is
      // reported.
      const isShell =
        start !== undefined &&
        baseline !== undefined &&
        simhashDistance(baseline.simhash, start.facts.simhash) <= near;
      const phrase = phraseOf(page);
      const isLike = far <= near && !isShell && (phrase !== null || baseline?.status === 200);
      if (!isLike && phrase === null) continue;
      yield {
        page: path,
        ...(!isLike && { confidence: "likely" as const }),
        evidence: {
          url,
          simhash: facts.simhash,
          baseline: baseline?.url ?? null,
          similarity: Math.round((1 - far / 64) * 100) / 100,
          phrase,
          canonical: facts.canonical,
        },
        message: `${path} says that the page doesn’t exist but doesn’t return 404.`,
      };
    }
  },
};
