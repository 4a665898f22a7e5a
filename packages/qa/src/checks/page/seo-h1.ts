import { type Check, isShared, quote } from "../../check.ts";
import { attribute, type Element, isHiddenFromReaders, roleOf } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";
import { hasEmptyContainer, canBeFilled } from "../needs-script.ts";
import type { Page } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";

function mainHeadings(page: Page): Element[] {
  return page.elements.filter((element) => {
    const heading = roleOf(element) === "heading" && attribute(element, "aria-level") === "1";
    return (element.name === "h1" || heading) && !isHiddenFromReaders(element);
  });
}

/**
 * The heading that stands in the main heading's place. A template that makes it another one is a
 * single cause, whatever pages it has made.
 */
function insteadOf(page: Page): Element | undefined {
  return page.elements.find(
    (element) =>
      /^h[2-6]$/.test(element.name) && !isShared(element) && !isHiddenFromReaders(element),
  );
}

/** Reports a page without a main heading. */
export const seoH1Missing: Check = {
  id: "seo.h1-missing",
  category: "seo",
  severity: "warning",
  *run(page, site) {
    if (isRedirectPage(page) || mainHeadings(page).length > 0) return;
    const isDoubtful = hasEmptyContainer(page) && canBeFilled(page, site);
    const other = insteadOf(page);
    yield {
      ...(other && { at: other, formerAt: "", byComponent: true }),
      evidence: { url: page.path },
      needsScript: isDoubtful ? { page: page.path, kind: "heading", what: "h1" } : undefined,
      message: "The page has no main heading (h1).",
    };
  },
};

/** Reports a page with several main headings. */
export const seoH1Multiple: Check = {
  id: "seo.h1-multiple",
  category: "seo",
  severity: "notice",
  *run(page) {
    const headings = mainHeadings(page);
    if (headings.length < 2) return;
    const names = headings.slice(0, 3).map((heading) => quote(accessibleName(page, heading), 30));
    // The site’s name as a heading is the same one on every page: in its header, or before the
    // page’s own with a style of its own.
    const common = headings.find(isShared) ?? headings[0];
    yield {
      ...(common && { at: common }),
      formerAt: "",
      byComponent: true,
      // HTML allows it, for example for several articles of the same rank.
      confidence: "review",
      evidence: { texts: headings.slice(0, 10).map((heading) => accessibleName(page, heading)) },
      message: `The page has ${headings.length} main headings: ${names.join(", ")}.`,
    };
  },
};
