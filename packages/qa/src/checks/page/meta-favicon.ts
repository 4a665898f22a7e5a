import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";
import { isRedirectPage } from "../../page/page.ts";

/** Where browsers look for an icon when a page names none. */
const defaultPaths = "/favicon.ico";

/** A site without an icon: browsers ask for one at each visit, and show an empty sheet. */
export const metaFavicon: Check = {
  id: "meta.favicon",
  category: "meta",
  severity: "notice",
  skipForBuilds: true,
  *run(page, site) {
    // Told once, at the start page.
    if (page.path !== "/" || isRedirectPage(page)) return;
    const named = page.all("link").some((link) => {
      const rel = attribute(link, "rel") ?? "";
      return /\b(?:icon|apple-touch-icon|mask-icon)\b/i.test(rel) && attribute(link, "href");
    });
    if (named || site.resolve(defaultPaths, "") !== undefined) return;
    yield {
      target: defaultPaths,
      evidence: { url: defaultPaths, status: site.response?.(defaultPaths, "")?.status ?? null },
      message: "The site has no favicon.",
    };
  },
};
