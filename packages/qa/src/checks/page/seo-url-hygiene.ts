import type { Check } from "../../check.ts";
import { isNoindex } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";

/** The longest address, in characters, that is still easy to handle. */
const maxLength = 115;

/** Reports an address that is hard to read out, type, or share. */
export const seoUrlHygiene: Check = {
  id: "seo.url-hygiene",
  category: "seo",
  severity: "notice",
  skipForBuilds: true,
  *run(page) {
    if (isNoindex(page) || isRedirectPage(page)) return;
    const path = page.path.split("?")[0] ?? "";
    const faults = [
      ...(/\p{Lu}/u.test(path) ? ["upper case"] : []),
      ...(/\s/.test(path) ? ["white space"] : []),
      ...(/_/.test(path) ? ["underscores"] : []),
      ...(/\/\//.test(path) ? ["a double slash"] : []),
      ...(path.length > maxLength ? [`${path.length} characters`] : []),
    ];
    if (faults.length === 0) return;
    yield {
      // A naming convention is one decision, whatever pages follow it.
      ...(path.length <= maxLength && { at: faults.join(" "), shared: true, formerAt: "" }),
      // Works everywhere; whether anyone reads it out or types it is up to its owner.
      confidence: "review",
      evidence: { faults, length: path.length },
      message: `The address ${path.slice(0, 120)} contains ${faults.join(", ")}.`,
    };
  },
};
