import type { SiteCheck } from "../../check.ts";
import type { NotFoundProbe } from "../../probe/probes.ts";

function faultOf({
  response,
  words,
  links,
}: NotFoundProbe): { at: string; message: string } | null {
  const status = response.status ?? 0;
  if (status >= 200 && status < 300) {
    const message = `A missing page returns ${status} instead of 404.`;
    return { at: "status", message };
  }
  if (status !== 404 && status !== 410) return null;
  if (words === 0) return { at: "words", message: "The “not found” page is empty." };
  if (links > 0) return null;
  return { at: "links", message: "The “not found” page has no link back to the site." };
}

/** Reports an error page for missing addresses that doesn't help visitors. */
export const pageNotfoundQuality: SiteCheck = {
  id: "page.notfound-quality",
  category: "pages",
  severity: "warning",
  scope: "probe",
  *run(_crawl, { notFound }) {
    // A redirect is reported separately.
    if (!notFound || notFound.leadsTo !== null) return;
    const fault = faultOf(notFound);
    if (!fault) return;
    const { response, homeLink, isNoindex } = notFound;
    const { url, status, bytes } = response;
    yield { page: "/", ...fault, evidence: { url, status, homeLink, noindex: isNoindex, bytes } };
  },
};
