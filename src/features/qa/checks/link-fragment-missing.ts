import { type Check, quote } from "../check.ts";
import { attribute, textOf } from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import { linksOf } from "./addresses.ts";

/** Whether a page has the place that a fragment names (HTML standard, 7.4.6.3). */
function hasPlace(page: Page, fragment: string): boolean {
  if (fragment.toLowerCase() === "top" || page.ids.has(fragment)) return true;
  return page.all("a").some((anchor) => attribute(anchor, "name") === fragment);
}

/** A link to a place on a page that isn't on it. */
export const linkFragmentMissing: Check = {
  id: "link.fragment-missing",
  category: "links",
  severity: "error",
  *look(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "inside" || target.fragment === "") continue;
      // `#:~:text=` is for browsers to find, `#/…` and `#!…` for scripts.
      if (/^(?:[/!]|:~:)/.test(target.fragment) || raw.includes("#:~:")) continue;
      const place = site.at(target.path);
      if (place?.kind !== "file") continue;
      const there = place.path === page.path ? page : site.page(place.path);
      const fragment = target.fragment.replace(/:~:.*$/, "");
      if (!there || hasPlace(there, fragment)) continue;
      const where = there === page ? "this page" : place.path;
      yield {
        target: `${place.path}#${fragment}`,
        at: element,
        message: `The link ${quote(textOf(element))} leads to #${fragment.slice(0, 60)}, which ${where} does not have.`,
      };
    }
  },
};
