import { type Check, quote } from "../../check.ts";
import { attribute } from "../../page/dom.ts";
import { referencesOf } from "../addresses.ts";

/** An address with a version, whose content never changes. Content that changes can't be pinned. */
const pinned = /(?:@|\/v?)\d+\.\d+\.\d+(?:[-.\w]*)?(?:\/|$)/;

/** Reports a third-party script or style sheet of a fixed version that could still be replaced. */
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
