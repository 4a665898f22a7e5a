import { type Check, quote } from "../../check.ts";
import { textOf } from "../../page/dom.ts";
import { isBroken, linksOf } from "../addresses.ts";

/** A link to a page or file of this site that isn't there. */
export const linkInternalBroken: Check = {
  id: "link.internal-broken",
  category: "links",
  severity: "error",
  *look(page, site) {
    for (const { element, target } of linksOf(page, site)) {
      if (target.kind !== "inside" || !isBroken(site, target)) continue;
      if (site.withOtherCase(target.path) !== undefined) continue;
      yield {
        target: target.path,
        at: element,
        message: `The link ${quote(textOf(element))} leads to ${target.path}, which is not there.`,
      };
    }
  },
};
