import { type Check, quote } from "../../check.ts";
import type { Page } from "../../page/page.ts";
import { isSpaced, readAddress, type Target } from "../../site/address.ts";
import type { Site } from "../../site/site.ts";
import { isBroken, linksOf } from "../addresses.ts";

/** The address without white space, if it then leads to a page of the site; otherwise null. */
function withoutSpace(raw: string, page: Page, site: Site): string | null {
  const packed = raw.replace(/\s+/g, "");
  if (packed === raw.trim()) return null;
  const target = readAddress(packed, page.base, site.origin);
  const isThere =
    target.kind === "inside" && site.resolve(target.path, target.search)?.kind === "file";
  return isThere ? packed : null;
}

/**
 * Why an address is malformed; null if it isn't. White space is fine if the address works with it.
 */
function whyNone(raw: string, target: Target, site: Site): string | null {
  if (target.kind === "malformed") return target.why;
  return isSpaced(raw) && isBroken(site, target) ? "it has white space in it" : null;
}

/** Reports a link with a malformed address. */
export const linkMalformed: Check = {
  id: "link.malformed",
  category: "links",
  severity: "error",
  *run(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      const why = whyNone(raw, target, site);
      if (why === null) continue;
      const fixed = withoutSpace(raw, page, site);
      yield {
        target: raw,
        at: element,
        evidence: { href: raw, error: why, candidate: fixed },
        safe: fixed !== null,
        message: `The address ${quote(raw)} is invalid: ${why}.`,
      };
    }
  },
};
