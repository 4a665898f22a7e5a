import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";
import { isRedirectPage } from "../../page/page.ts";

/** Where browsers look for an icon if a page names none. */
const defaultPaths = "/favicon.ico";

/** Reports a site without an icon: browsers request one at each visit and show a blank symbol. */
export const metaFavicon: Check = {
  id: "meta.favicon",
  category: "meta",
  severity: "notice",
  skipForBuilds: true,
  *run(page, site) {
    // Reported once, on the start page.
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
