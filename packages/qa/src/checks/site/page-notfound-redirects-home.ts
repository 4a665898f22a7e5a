import type { SiteCheck } from "../../check.ts";

/**
 * Reports that missing pages redirect to the home page: visitors are confused, and search engines
 * never forget the address.
 */
export const pageNotfoundRedirectsHome: SiteCheck = {
  id: "page.notfound-redirects-home",
  category: "pages",
  severity: "error",
  scope: "probe",
  *run(crawl, { notFound }) {
    if (!notFound || notFound.leadsTo === null) return;
    const { url, status, finalUrl } = notFound.response;
    const homes = ["/", "/index.html", new URL(crawl.start).pathname];
    const isHome = homes.includes(new URL(finalUrl).pathname);
    if (!isHome || status === null || status >= 300) return;
    yield {
      page: "/",
      message: "A missing page redirects to the home page instead of saying that it doesn’t exist.",
      evidence: { url, location: notFound.leadsTo },
    };
  },
};
