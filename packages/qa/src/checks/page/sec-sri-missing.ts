import { type Check, quote } from "../../check.ts";
import { attribute } from "../../page/dom.ts";
import { referencesOf } from "../addresses.ts";

/** An address whose content never changes: it names a version. What changes can't be pinned. */
const pinned = /(?:@|\/v?)\d+\.\d+\.\d+(?:[-.\w]*)?(?:\/|$)/;

/** A script or style sheet of others, of a fixed version, that may be exchanged all the same. */
export const secSriMissing: Check = {
  id: "sec.sri-missing",
  category: "security",
  severity: "notice",
  *run(page, site) {
    const sheets = page
      .all("link")
      .filter((link) => /\bstylesheet\b/i.test(attribute(link, "rel") ?? ""));
    const loaded = [
      ...referencesOf(page, site, page.all("script"), "src"),
      ...referencesOf(page, site, sheets, "href"),
    ];
    for (const { element, raw, target } of loaded) {
      if (target.kind !== "outside" || !pinned.test(target.url.pathname)) continue;
      if (attribute(element, "integrity")?.trim()) continue;
      yield {
        target: raw,
        at: element,
        shared: true,
        evidence: { src: raw },
        message: `${quote(raw, 90)} comes from ${target.url.host} without an integrity hash, so it could change unnoticed.`,
      };
    }
  },
};
