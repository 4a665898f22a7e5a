import { type Check, locate, quote } from "../../check.ts";
import { attribute, roleOf, textOf } from "../../page/dom.ts";
import { linksOf } from "../addresses.ts";

/** A link that leads nowhere: an empty address, a bare `#`, a script that does nothing. */
export const linkEmptyHref: Check = {
  id: "link.empty-href",
  category: "links",
  severity: "warning",
  *look(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      const idle = /^(?:#|javascript:\s*(?:void\(0\)|;)?\s*;?)$/i.test(raw.trim());
      if (target.kind !== "empty" && !idle) continue;
      if (roleOf(element) === "button" || attribute(element, "onclick") !== undefined) continue;
      yield {
        at: element,
        evidence: { href: raw, selector: locate(element), text: textOf(element).slice(0, 80) },
        message: `The link ${quote(textOf(element))} leads nowhere.`,
      };
    }
  },
};
