import type { CrawlResponse } from "../crawl/crawl.ts";
import { attribute, isElement, textOf } from "../page/dom.ts";
import { hasNoindexHeader, isNoindex, type Page, readPage } from "../page/page.ts";
import type { ProbeFetcher, NotFoundProbe } from "./probes.ts";

/** Parses a response that isn't part of a crawl. */
function pageOf(response: CrawlResponse, body: Buffer): Page {
  const { pathname } = new URL(response.finalUrl);
  const type = "text/html";
  const file = { file: "", hash: response.hash ?? "", bytes: body.length, type, encodings: {} };
  return readPage(pathname, file, body.toString("utf8"));
}

/** Paths of the site's own pages that a page links to. */
function linkedPaths(page: Page, at: string): Set<string> {
  const base = page.first("base");
  const from = URL.parse(base ? (attribute(base, "href") ?? "") : "", at)?.href ?? at;
  const paths = page.all("a", "area").flatMap((element) => {
    const href = attribute(element, "href");
    const url = href === undefined || href.startsWith("#") ? null : URL.parse(href, from);
    return url?.origin === new URL(at).origin ? [url.pathname] : [];
  });
  return new Set(paths);
}

/**
 * Requests an address that can't exist: `name` is random. Null without a response, or if the
 * response says nothing about it.
 */
export async function probeNotFound(
  fetcher: ProbeFetcher,
  start: string,
  name: string,
): Promise<NotFoundProbe | null> {
  const url = new URL(`/${name}/`, start).href;
  const { answer: response, body } = await fetcher.own(url, { cookies: false });
  const { status } = response;
  if (status === null || response.failure !== null) return null;
  // Rate limits, bot walls, or outages say nothing about the error page.
  if (status === 401 || status === 403 || status === 407 || status === 429 || status >= 500) {
    return null;
  }
  const final = new URL(response.finalUrl);
  const leadsTo = response.hops.length > 0 ? final.pathname + final.search : null;
  const none = { response, leadsTo, isNoindex: false, homeLink: false, links: 0, words: 0 };
  const isHtml = /^(?:text\/html|application\/xhtml)/i.test(response.headers["content-type"] ?? "");
  if (body === null || !isHtml) return none;
  const page = pageOf(response, body);
  const paths = linkedPaths(page, response.finalUrl);
  const main = page.first("body") ?? page.document.children.find(isElement);
  const homes = ["/", "/index.html", new URL(start).pathname];
  const drawn = page.all("script", "img", "svg", "picture").length > 0;
  const words = main ? textOf(main).split(/\s+/).filter(Boolean).length : 0;
  return {
    ...none,
    isNoindex: isNoindex(page) || hasNoindexHeader(response.headers["x-robots-tag"]),
    homeLink: homes.some((path) => paths.has(path)),
    links: paths.size,
    // A script or an image may provide what the markup lacks.
    words: words === 0 && drawn ? 1 : words,
  };
}
