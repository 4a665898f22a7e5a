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

/** Where redirects lead: reported where the first of them is linked, listed, or requested. */
const redirectTargets = (crawl: Crawl): ReadonlySet<string> =>
  new Set(
    [...ownResponses(crawl)].flatMap(([url, { hops, finalUrl }]) => {
      if (hops.length === 0) return [];
      const further = [...hops.slice(1).map((hop) => hop.url), finalUrl.replace(/#.*$/s, "")];
      return further.filter((one) => one !== url);
    }),
  );

/** The first page that only redirects to an address: nobody checks the links of such a page. */
function redirectPageOf(crawl: Crawl, links: readonly Reference[]): string | null {
  const [first] = links;
  const isRedirect = ({ rel, page }: Reference) => rel === "refresh" && !crawl.pages.has(page);
  return first && links.every(isRedirect) ? first.page : null;
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
    const redirected = redirectTargets(crawl);
    for (const [url, response, links] of asPages(crawl)) {
      const { status, verdict, failure } = response;
      const redirectPage = redirectPageOf(crawl, links);
      if (listed.has(url) || redirected.has(url) || (links.length > 0 && redirectPage === null))
        continue;
      if (verdict !== "broken" || failure || status === null) continue;
      if (status < 400 || status >= 500) continue;
      const what =
        redirectPage === null ? "The site links" : `The page ${redirectPage} only redirects`;
      yield {
        page: redirectPage ?? pathOf(url),
        ...(redirectPage !== null && { target: pathOf(url) }),
        evidence: evidenceOf(url, response, links),
        message: `${what} to ${pathOf(url)}, which doesn’t exist (${status}).`,
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
