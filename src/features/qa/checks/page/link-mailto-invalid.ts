import { type Check, quote } from "../../check.ts";
import { linksOf } from "../addresses.ts";

const address = /^[^\s@,;<>()]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z0-9-]{2,}$/i;

function isInvalid(text: string): boolean {
  const [list = "", query = ""] = text.slice("mailto:".length).split("?");
  if (list === "") return !/(?:^|&)to=/i.test(query);
  return list.split(",").some((one) => {
    try {
      return !address.test(decodeURIComponent(one).trim());
    } catch {
      return true;
    }
  });
}

/** A mail link without a usable address. */
export const linkMailtoInvalid: Check = {
  id: "link.mailto-invalid",
  category: "links",
  severity: "warning",
  *look(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "other" || target.scheme !== "mailto" || !isInvalid(target.text))
        continue;
      yield {
        target: raw,
        at: element,
        evidence: { raw },
        message: `${quote(raw)} is no mail address.`,
      };
    }
  },
};
