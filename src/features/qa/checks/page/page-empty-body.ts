import type { Check } from "../../check.ts";
import { attribute, closest, type Element } from "../../page/dom.ts";
import { isRedirectPage, type Page } from "../../page/page.ts";
import { substanceOf } from "../../page/substance.ts";

const runs = (script: Element): boolean =>
  /^(?:module|.*javascript)?$/i.test(attribute(script, "type") ?? "");

/**
 * A frame for an application: an empty element with a name or of its own kind, and a script that fills
 * it; or nothing but a script.
 */
function isFilledByScript(page: Page): boolean {
  const scripts = page.all("script").filter(runs);
  const named = page.all("div", "main").some((element) => attribute(element, "id") !== undefined);
  const holds = named || page.elements.some(({ name }) => name.includes("-"));
  return scripts.some((script) => holds || isLoadedInBody(script));
}

const isLoadedInBody = (script: Element): boolean =>
  attribute(script, "src") !== undefined &&
  closest(script, ({ name }) => name === "body") !== undefined;

/** A page on which there is nothing to see. */
export const pageEmptyBody: Check = {
  id: "page.empty-body",
  category: "pages",
  severity: "error",
  *look(page) {
    // Pages of the last century are made of others.
    if (page.first("frameset")) return;
    if (isRedirectPage(page) || substanceOf(page).whole > 0 || isFilledByScript(page)) return;
    yield {
      evidence: { url: page.path, characters: 0, words: 0 },
      message: "There is nothing to see on this page.",
    };
  },
};
