import { type Check, quote } from "../../check.ts";
import { textOf } from "../../page/dom.ts";
import { linksOf } from "../addresses.ts";

/** A link to an address of this site that only leads on. */
export const linkSelfRedirect: Check = {
  id: "link.self-redirect",
  category: "links",
  severity: "warning",
  *look(page, site) {
    for (const { element, target } of linksOf(page, site)) {
      const place = target.kind === "inside" ? site.at(target.path) : undefined;
      if (place?.kind !== "redirect") continue;
      yield {
        target: place.path,
        at: element,
        message: `The link ${quote(textOf(element))} leads to ${place.path}, which has moved to ${place.to}.`,
      };
    }
  },
};
