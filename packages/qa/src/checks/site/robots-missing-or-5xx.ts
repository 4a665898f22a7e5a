import type { SiteCheck } from "../../check.ts";
import type { Robots } from "../../probe/probes.ts";

function faultOf({ response, text }: Robots): string | null {
  const status = response.status ?? 0;
  if (status >= 500 && status !== 503) {
    return `robots.txt returns ${status}, which can keep search engines away.`;
  }
  if (status === 404 || status === 410) return "The site has no robots.txt.";
  if (status === 200 && text === null) return "robots.txt is a web page.";
  return null;
}

/** Reports a site whose robots.txt is missing or fails (RFC 9309, section 2.3). */
export const robotsMissingOr5xx: SiteCheck = {
  id: "robots.missing-or-5xx",
  category: "sitemap",
  severity: "warning",
  scope: "probe",
  *run(_crawl, { robots }) {
    const message = faultOf(robots);
    if (message === null) return;
    yield {
      page: "/",
      target: "/robots.txt",
      message,
      evidence: { status: robots.response.status },
    };
  },
};
