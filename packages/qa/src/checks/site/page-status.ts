import type { SiteCheck, SiteReport } from "../../check.ts";
import type { CrawlResponse, Crawl, Reference } from "../../crawl/crawl.ts";
import { attemptsOf, hopsOf, ownResponses, pathOf, referrers, locationOf } from "../locations.ts";

/**
 * An address of the site that is requested as a page: from a link, the sitemap, or as the start.
 */
function* asPages(crawl: Crawl): Generator<[string, CrawlResponse, readonly Reference[]]> {
  for (const [url, response] of ownResponses(crawl)) {
    // Requested by QA, as browsers do.
    if (url.endsWith("/favicon.ico") && pathOf(url) === "/favicon.ico") continue;
    const references = crawl.referencesTo(url);
    const linked = references.filter(({ kind }) => kind === "link" || kind === "frame");
    if (linked.length > 0 || references.length === 0) yield [url, response, linked];
  }
}

function evidenceOf(url: string, response: CrawlResponse, links: readonly Reference[]) {
  return { url, status: response.status, hops: hopsOf(response), referrers: referrers(links) };
}

/**
 * Reports a missing page that the site itself offers, such as its start. A link to a missing page
 * is reported at the link by link.internal-broken, a sitemap entry by sitemap.non-200.
 */
export const pageStatus4xx: SiteCheck = {
  id: "page.status-4xx",
  category: "pages",
  severity: "error",
  scope: "site",
  *run(crawl, { entries }): Generator<SiteReport> {
    const listed = new Set(entries.map(({ loc }) => loc));
    for (const [url, response, links] of asPages(crawl)) {
      const { status, verdict, failure } = response;
      if (listed.has(url) || links.length > 0 || verdict !== "broken" || failure || status === null)
        continue;
      if (status < 400 || status >= 500) continue;
      yield {
        page: pathOf(url),
        evidence: evidenceOf(url, response, links),
        message: `The site links to ${pathOf(url)}, which doesn’t exist (${status}).`,
      };
    }
  },
};

/** Reports a page with a server error. */
export const pageStatus5xx: SiteCheck = {
  id: "page.status-5xx",
  category: "pages",
  severity: "error",
  scope: "site",
  *run(crawl): Generator<SiteReport> {
    for (const [url, response, links] of asPages(crawl)) {
      const { status, verdict, failure } = response;
      if (verdict !== "broken" || failure || status === null || status < 500) continue;
      yield {
        ...locationOf(links),
        page: pathOf(url),
        evidence: {
          ...evidenceOf(url, response, links),
          attempts: attemptsOf(response),
          head: response.head,
        },
        message: `${pathOf(url)} returns a server error (${status}).`,
      };
    }
  },
};

/** How far the request got, in words. */
const phases: Readonly<Record<string, string>> = {
  dns: "its name can’t be looked up",
  connect: "no connection",
  tls: "no secure connection",
  headers: "no response",
  body: "its response doesn’t end",
};

/** The same if the connection was refused or broke off. */
const broken: Readonly<Record<string, string>> = {
  connect: "the server refuses the connection",
  headers: "the server closes the connection without a response",
  body: "the server closes the connection in the middle of the response",
};

/** Reports a page that doesn't respond, or whose response breaks off. */
export const pageTimeout: SiteCheck = {
  id: "page.timeout",
  category: "pages",
  severity: "error",
  scope: "site",
  *run(crawl): Generator<SiteReport> {
    for (const [url, response, links] of asPages(crawl)) {
      const { failure, verdict } = response;
      const why = failure ? phases[failure.phase] : undefined;
      if (!failure || why === undefined || verdict !== "broken") continue;
      yield {
        ...locationOf(links),
        page: pathOf(url),
        confidence: "likely",
        evidence: {
          url,
          phase: failure.phase,
          code: failure.code,
          ms: failure.ms,
          attempts: attemptsOf(response),
          referrers: referrers(links),
        },
        message:
          failure.code === "ETIMEDOUT"
            ? `${pathOf(url)} doesn’t respond in time: ${why} within ${(failure.ms / 1000).toFixed(1)} seconds.`
            : `${pathOf(url)} can’t be opened: ${broken[failure.phase] ?? why}.`,
      };
    }
  },
};
