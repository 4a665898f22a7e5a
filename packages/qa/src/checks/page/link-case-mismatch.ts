import { type Check, quote } from "../../check.ts";
import { textOf } from "../../page/dom.ts";
import { brokenLinksOf } from "../addresses.ts";

/** Reports a link that would only work if upper and lower case didn't matter. */
export const linkCaseMismatch: Check = {
  id: "link.case-mismatch",
  category: "links",
  severity: "error",
  *run(page, site) {
    for (const { element, raw, target } of brokenLinksOf(page, site)) {
      const right = site.findPathIgnoringCase(target.path);
      if (right === undefined) continue;
      yield {
        target: target.path,
        at: element,
        evidence: { href: raw, path: right },
        safe: true,
        message: `The link ${quote(textOf(element))} leads to ${target.path}, but the correct address is ${right}.`,
      };
    }
  },
};
