import { type Check, quote } from "../../check.ts";
import { linksOf } from "../addresses.ts";

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Reports a link of an HTTPS site to its own pages over HTTP. */
export const linkHttpOnHttps: Check = {
  id: "link.http-on-https",
  category: "links",
  severity: "warning",
  *run(page, site) {
    if (!site.origin?.startsWith("https:")) return;
    const host = new URL(site.origin).host;
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "outside" || target.url.protocol !== "http:") continue;
      if (target.url.host !== host) continue;
      const secure = raw.trim().replace(/^http:/i, "https:");
      const status = site.response?.(target.url.pathname, target.url.search)?.status ?? null;
      yield {
        target: raw,
        at: element,
        evidence: { href: raw, candidate: secure, status },
        safe: site.resolve(decoded(target.url.pathname), target.url.search)?.kind === "file",
        message: `${quote(raw)} should use https.`,
      };
    }
  },
};
