import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";
import { isNoindex, type Page } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";

/** Where browsers look for an icon if a page names none. */
const defaultPaths = "/favicon.ico";

const namesIcon = (page: Page): boolean =>
  page.all("link").some((link) => {
    const rel = attribute(link, "rel") ?? "";
    return /\b(?:icon|apple-touch-icon|mask-icon)\b/i.test(rel) && attribute(link, "href");
  });

/**
 * Reports a site, or a page of it, without an icon: browsers request one at each visit and show a
 * blank symbol.
 */
export const metaFavicon: Check = {
  id: "meta.favicon",
  category: "meta",
  severity: "notice",
  skipForBuilds: true,
  *run(page, site) {
    if (isRedirectPage(page) || isNoindex(page) || namesIcon(page)) return;
    // If the start page lacks one, too, it stands for the whole site.
    const start = page.path === "/" ? undefined : site.page("/");
    if (page.path !== "/" && (!start || !namesIcon(start))) return;
    if (site.resolve(defaultPaths, "") !== undefined) return;
    yield {
      target: defaultPaths,
      evidence: { url: defaultPaths, status: site.response?.(defaultPaths, "")?.status ?? null },
      shared: true,
      message: page.path === "/" ? "The site has no favicon." : "The page names no favicon.",
    };
  },
};
