import type { Check } from "../../check.ts";
import { isRedirectPage } from "../../page/page.ts";
import { substanceOf } from "../../page/substance.ts";

/** A page on which there is nothing to see. */
export const pageEmptyBody: Check = {
  id: "page.empty-body",
  category: "pages",
  severity: "error",
  *look(page) {
    if (isRedirectPage(page) || substanceOf(page).whole > 0) return;
    yield {
      evidence: { url: page.path, characters: 0, words: 0 },
      message: "There is nothing to see on this page.",
    };
  },
};
