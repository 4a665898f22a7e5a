import { type Check, quote } from "../../check.ts";
import { linksOf } from "../addresses.ts";

/** Separators between digits, for people: phones ignore them. */
const separators = /[\s()./\u2010-\u2015-]/g;

/** Whether a text is a phone number, perhaps with a pause and an extension. */
function isNumber(text: string): boolean {
  try {
    const number = decodeURIComponent(text).replace(/;.*$/s, "").replace(separators, "");
    return /^\+?[\d*#]{2,20}(?:[,pwx]+[\d*#]+)*$/i.test(number);
  } catch {
    return false;
  }
}

/** Reports a phone link that can't be dialed (RFC 3966). */
export const linkTelInvalid: Check = {
  id: "link.tel-invalid",
  category: "links",
  severity: "notice",
  *run(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "other" || target.scheme !== "tel") continue;
      if (isNumber(target.text.slice("tel:".length))) continue;
      yield {
        target: raw,
        at: element,
        evidence: { raw },
        message: `${quote(raw)} can’t be dialed.`,
      };
    }
  },
};
