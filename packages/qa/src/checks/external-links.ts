import type { SiteReport } from "../check.ts";
import type { Crawl, CrawlResponse, Reference } from "../crawl/crawl.ts";
import type { Evidence } from "../finding.ts";
import { locationOf } from "./locations.ts";

/** An address of another site, its response, and the places that link to it. */
export interface CheckedLink {
  url: string;
  answer: CrawlResponse;
  references: readonly Reference[];
}

/** The responses of other sites, with the places that link to them. */
export function* externalLinks(crawl: Crawl): Generator<CheckedLink> {
  for (const [url, response] of crawl.responses) {
    if (crawl.isOwn(url)) continue;
    const references = crawl.referencesTo(url);
    if (references.length > 0) yield { url, answer: response, references };
  }
}

/** A finding about an external address, at all places that link to it. */
export function reportLink(link: CheckedLink, evidence: Evidence, message: string): SiteReport {
  const { url, references } = link;
  return { ...locationOf(references), target: url, shared: true, evidence, message };
}

/** An address for a message. */
export const short = (url: string): string => (url.length > 90 ? `${url.slice(0, 89)}…` : url);

/** The properties of all checks of external addresses. */
export const inExternal = {
  category: "external",
  scope: "external",
} as const;
