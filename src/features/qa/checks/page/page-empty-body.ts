import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";
import { isRedirectPage, type Page } from "../../page/page.ts";
import { substanceOf } from "../../page/substance.ts";

/** A frame for an application: an empty element with a name, and a script that fills it. */
function isFilledByScript(page: Page): boolean {
  const holds = page.all("div", "main").some((element) => attribute(element, "id") !== undefined);
  const runs = page
    .all("script")
    .some((script) => /^(?:module|.*javascript)?$/i.test(attribute(script, "type") ?? ""));
  return holds && runs;
}

/** A page on which there is nothing to see. */
export const pageEmptyBody: Check = {
  id: "page.empty-body",
  category: "pages",
  severity: "error",
  *look(page) {
    if (isRedirectPage(page) || substanceOf(page).whole > 0 || isFilledByScript(page)) return;
    yield {
      evidence: { url: page.path, characters: 0, words: 0 },
      message: "There is nothing to see on this page.",
    };
  },
};
