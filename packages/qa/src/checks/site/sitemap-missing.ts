import type { SiteCheck, SiteReport } from "../../check.ts";
import type { Sitemap } from "../../probe/probes.ts";

/**
 * Whether the sitemap is missing: an error status, or a page instead of a sitemap. No response
 * proves nothing.
 */
function isAbsent({ response: { status }, kind, error, from }: Sitemap): boolean {
  if (status === 404 || status === 410) return true;
  return from === "usual" && status === 200 && kind === null && error === null;
}

function absent({ url, from, response }: Sitemap): SiteReport {
  const path = new URL(url).pathname;
  const by = from === "robots" ? "robots.txt" : "The sitemap index";
  return {
    page: "/",
    target: path,
    message: `${by} refers to the sitemap ${path}, which doesn’t exist.`,
    evidence: { tried: [url], status: response.status },
  };
}

/** Reports a site without a sitemap. */
export const sitemapMissing: SiteCheck = {
  id: "sitemap.missing",
  category: "sitemap",
  severity: "error",
  scope: "probe",
  *run(_crawl, { robots, sitemaps }) {
    const named = sitemaps.filter(({ from }) => from !== "usual");
    for (const sitemap of named) if (isAbsent(sitemap)) yield absent(sitemap);
    // A sitemap on another host isn't checked here.
    if (named.length > 0 || robots.sitemaps.length > 0 || sitemaps.length === 0) return;
    if (!sitemaps.every(isAbsent)) return;
    yield {
      page: "/",
      message: "The site has no sitemap.",
      evidence: { tried: sitemaps.map(({ url }) => url) },
    };
  },
};
