import { quote, type SiteCheck } from "../../check.ts";

/** Reports a sitemap that isn't valid XML: search engines discard all of it. */
export const sitemapInvalidXml: SiteCheck = {
  id: "sitemap.invalid-xml",
  category: "sitemap",
  severity: "error",
  scope: "probe",
  *run(_crawl, { sitemaps }) {
    for (const { url, error } of sitemaps) {
      if (error === null) continue;
      const { line, column, message } = error;
      const path = new URL(url).pathname;
      yield {
        page: "/",
        target: path,
        message: `The sitemap ${path} is invalid: ${quote(message, 120)}`,
        location: { selector: path, line },
        evidence: { url, line, column, error: message.slice(0, 200) },
      };
    }
  },
};
