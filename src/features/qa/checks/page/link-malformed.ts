import { type Check, quote } from "../../check.ts";
import type { Page } from "../../page/page.ts";
import { readAddress } from "../../site/address.ts";
import type { Site } from "../../site/site.ts";
import { linksOf } from "../addresses.ts";

/** The address without white space, where it then leads to a page of the site; null elsewhere. */
function withoutSpace(raw: string, page: Page, site: Site): string | null {
  const packed = raw.replace(/\s+/g, "");
  if (packed === raw.trim()) return null;
  const target = readAddress(packed, page.base, site.origin);
  const isThere = target.kind === "inside" && site.at(target.path, target.search)?.kind === "file";
  return isThere ? packed : null;
}

/** A link whose address is none. */
export const linkMalformed: Check = {
  id: "link.malformed",
  category: "links",
  severity: "error",
  *look(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "malformed") continue;
      const mended = withoutSpace(raw, page, site);
      yield {
        target: raw,
        at: element,
        evidence: { href: raw, error: target.why, candidate: mended },
        safe: mended !== null,
        message: `The address ${quote(raw)} can’t work: ${target.why}.`,
      };
    }
  },
};
