import { type Check, quote } from "../../check.ts";
import { linksOf } from "../addresses.ts";

/** A telephone link that can't be dialled (RFC 3966). */
export const linkTelInvalid: Check = {
  id: "link.tel-invalid",
  category: "links",
  severity: "notice",
  *look(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "other" || target.scheme !== "tel") continue;
      const number = target.text
        .slice("tel:".length)
        .replace(/;.*$/s, "")
        .replace(/%20|[\s().-]/g, "");
      if (/^\+?[\d*#]{2,20}$/.test(number)) continue;
      yield {
        target: raw,
        at: element,
        evidence: { raw },
        message: `${quote(raw)} can’t be dialled.`,
      };
    }
  },
};
