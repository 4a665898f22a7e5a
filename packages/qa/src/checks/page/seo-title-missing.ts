import type { Check } from "../../check.ts";
import { isRedirectPage } from "../../page/refresh.ts";
import { isElement, rawText, textOf } from "../../page/dom.ts";

/** Reports a page without a title. */
export const seoTitleMissing: Check = {
  id: "seo.title-missing",
  category: "seo",
  severity: "error",
  *run(page) {
    const title = page
      .all("title")
      .find(({ parent }) => !isElement(parent) || parent.name !== "svg");
    if ((title && (rawText(title).trim() || textOf(title)) !== "") || isRedirectPage(page)) return;
    yield { evidence: { url: page.path, act: ["2779a5"] }, message: "The page has no title." };
  },
};
