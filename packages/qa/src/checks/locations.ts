import type { SiteReport } from "../check.ts";
import type { Evidence } from "../finding.ts";
import { pathNameOf } from "../crawl/addresses.ts";
import type { CrawlResponse, Crawl, Reference } from "../crawl/crawl.ts";

/** Where an address is referenced, for a finding; the site as a whole if nothing references it. */
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

/** The first places that reference an address, as evidence. */
export function referrers(references: readonly Reference[]): Evidence[] {
  return references.slice(0, 10).map(({ page, selector, line }) => ({ page, selector, line }));
}

/** The decoded path and the query of an address. */
export const pathOf = (url: string): string => pathNameOf(new URL(url));

/** The redirects before a response, as evidence. */
export const hopsOf = ({ hops }: CrawlResponse): Evidence[] =>
  hops.map(({ url, status }) => ({ url, status }));

/** The attempts to request an address and their results, as evidence. */
export const attemptsOf = ({ attempts }: CrawlResponse): Evidence[] =>
  attempts.map(({ status, code, ms }) => ({ status, code, ms }));

/**
 * The site's own responses of this crawl; pages that haven't changed since the last crawl are left
 * out.
 */
export function* ownResponses(crawl: Crawl): Generator<[url: string, answer: CrawlResponse]> {
  for (const [url, response] of crawl.responses) if (crawl.isOwn(url)) yield [url, response];
}

/** The content type of a response, without parameters, in lower case. */
export const typeOf = ({ headers }: CrawlResponse): string =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";

/** The pages among the responses: status 200 and HTML. */
export function pagesOf(crawl: Crawl) {
  return [...crawl.pages.values()].filter(({ response }) => {
    return response.status === 200 && response.verdict === "ok" && response.hops.length === 0;
  });
}
