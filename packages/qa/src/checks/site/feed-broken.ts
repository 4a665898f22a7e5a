import { quote, type SiteCheck, type SiteReport } from "../../check.ts";
import type { FeedProbe } from "../../probe/probes.ts";

const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return pathname + search;
};

function* faultsOf({
  url,
  response,
  error,
  broken,
}: FeedProbe): Generator<Omit<SiteReport, "page">> {
  const path = pathOf(url);
  if (response.verdict === "broken") {
    yield {
      target: path,
      message: `The feed ${path} doesn’t exist.`,
      evidence: { url, status: response.status },
    };
    return;
  }
  if (error) {
    const where = error.line === null ? "" : ` at line ${error.line}`;
    yield {
      target: path,
      message: `The feed ${path} is invalid${where}: ${quote(error.message, 120)}`,
      evidence: { url, error: error.message.slice(0, 200), line: error.line, column: error.column },
    };
  }
  for (const item of broken) {
    const to = pathOf(item.url);
    yield {
      target: `${path} ${to}`,
      message: `An item in the feed ${path} links to ${to}, which doesn’t exist.`,
      evidence: { url, itemLinks: [{ url: item.url, status: item.status }] },
    };
  }
}

/** Reports a feed that feed readers can't use. */
export const feedBroken: SiteCheck = {
  id: "feed.broken",
  category: "sitemap",
  severity: "warning",
  scope: "probe",
  *run(_crawl, { feeds }) {
    for (const feed of feeds) {
      for (const fault of faultsOf(feed)) {
        // All pages name the same feed: it is one defect.
        const place = { selector: feed.selector };
        yield { page: feed.page, shared: true, at: fault.target ?? "", location: place, ...fault };
      }
    }
  },
};
