import type { SiteSeen } from "../check.ts";
import type { Evidence } from "../finding.ts";
import { pathNameOf } from "../crawl/addresses.ts";
import type { Answer, Crawl, Reference } from "../crawl/crawl.ts";

/** Where an address is named, as a finding tells it; at the site as a whole where it isn't. */
export function toldAt(
  references: readonly Reference[],
): Pick<SiteSeen, "page" | "also" | "place"> {
  const [first, ...others] = references;
  if (!first) return { page: "/" };
  const { selector, line, text } = first;
  return {
    page: first.page,
    place: { selector, line, text },
    also: others.slice(0, 500).map((other) => {
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
export const hopsOf = ({ hops }: Answer): Evidence[] =>
  hops.map(({ url, status }) => ({ url, status }));

/** How often an address was asked, and what came of it, as evidence. */
export const attemptsOf = ({ attempts }: Answer): Evidence[] =>
  attempts.map(({ status, code, ms }) => ({ status, code, ms }));

/** The answers of the site itself that came now: of those that have not changed much is not said again. */
export function* ownAnswers(crawl: Crawl): Generator<[url: string, answer: Answer]> {
  for (const [url, answer] of crawl.answers) if (crawl.isOwn(url)) yield [url, answer];
}

/** The type of an answer, without its parameters, in lower case. */
export const typeOf = ({ headers }: Answer): string =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";

/** The pages that answered as pages: with 200 and as HTML. */
export function pagesOf(crawl: Crawl) {
  return [...crawl.pages.values()].filter(({ answer }) => {
    return answer.status === 200 && answer.verdict === "ok" && answer.hops.length === 0;
  });
}
