import { type Check, quote } from "../../check.ts";
import { linksOf } from "../addresses.ts";

/** Letters of any script: host names are written as people write them (RFC 6531, RFC 5890). */
const address =
  /^[^\s@,;<>()]+@[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}.-]*[\p{L}\p{M}\p{N}])?\.[\p{L}\p{M}\p{N}-]{2,}$/u;
/** A subject, a body, or another field with content. */
const filledField = /(?:^|&)[\w-]+=[^&]/;

function isInvalid(text: string): boolean {
  const [list = "", query = ""] = text.slice("mailto:".length).split("?");
  // The recipient may be left out, as in links that share a page (RFC 6068, section 2).
  if (list.trim() === "") return !filledField.test(query);
  return list
    .replace(/,\s*$/, "")
    .split(",")
    .some((one) => {
      try {
        return !address.test(decodeURIComponent(one).trim());
      } catch {
        return true;
      }
    });
}

/** Reports an email link without a usable address. */
export const linkMailtoInvalid: Check = {
  id: "link.mailto-invalid",
  category: "links",
  severity: "warning",
  *run(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "other" || target.scheme !== "mailto" || !isInvalid(target.text))
        continue;
      yield {
        target: raw,
        at: element,
        evidence: { raw },
        message: `${quote(raw)} isn’t an email address.`,
      };
    }
  },
};
