import { type Check, quote } from "../../check.ts";
import { linksOf } from "../addresses.ts";

/** A link whose address is none. */
export const linkMalformed: Check = {
  id: "link.malformed",
  category: "links",
  severity: "error",
  *look(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "malformed") continue;
      yield {
        target: raw,
        at: element,
        message: `The address ${quote(raw)} can’t work: ${target.why}.`,
      };
    }
  },
};
