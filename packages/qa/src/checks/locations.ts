import type { SiteReport } from "../check.ts";
import type { Evidence } from "../finding.ts";
import { pathNameOf } from "../crawl/addresses.ts";
import type { CrawlResponse, Crawl, Reference } from "../crawl/crawl.ts";

/** Where an address is named, as a finding tells it; at the site as a whole where it isn't. */
export function locationOf(
  references: readonly Reference[],
): Pick<SiteReport, "page" | "otherLocations" | "location"> {
  const [first, ...others] = references;
  if (!first) return { page: "/" };
  const { selector, line, text } = first;
  return {
    page: first.page,
    location: { selector, line, text },
    otherLocations: others.slice(0, 500).map((other) => {
      return { page: other.page, selector: other.selector, line: other.line, text: other.text };
    }),
  };
}

/** The first places that name an address, as evidence. */
export function referrers(references: readonly Reference[]): Evidence[] {
  return references.slice(0, 10).map(({ page, selector, line }) => ({ page, selector, line }));
}

/** Decoded path and query of an address. */
export const pathOf = (url: string): string => pathNameOf(new URL(url));

/** The redirects on the way to an answer, as evidence. */
export const hopsOf = ({ hops }: CrawlResponse): Evidence[] =>
  hops.map(({ url, status }) => ({ url, status }));

/** How often an address was asked, and what came of it, as evidence. */
export const attemptsOf = ({ attempts }: CrawlResponse): Evidence[] =>
  attempts.map(({ status, code, ms }) => ({ status, code, ms }));

/** The answers of the site itself that came now: of those that have not changed much is not said again. */
export function* ownResponses(crawl: Crawl): Generator<[url: string, answer: CrawlResponse]> {
  for (const [url, response] of crawl.responses) if (crawl.isOwn(url)) yield [url, response];
}

/** The type of an answer, without its parameters, in lower case. */
export const typeOf = ({ headers }: CrawlResponse): string =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";

/** The pages that answered as pages: with 200 and as HTML. */
export function pagesOf(crawl: Crawl) {
  return [...crawl.pages.values()].filter(({ response }) => {
    return response.status === 200 && response.verdict === "ok" && response.hops.length === 0;
  });
}
